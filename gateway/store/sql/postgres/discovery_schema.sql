-- The triggers of the migrations 0017_decision_lists, 0018_decision_sources, 0019_reasons and 0021_due_of_a_source.

-- The source of each decision, as it is made.
create or replace function source_decision() returns trigger language plpgsql as $$ begin
  new.source := coalesce(
    (select source from search where identifier = new.identifier),
    (select source from copy where identifier = new.identifier and url = new.url),
    '');
  return new;
end $$;
create or replace trigger decision_sourced before insert on decision for each row execute function source_decision();

-- The last decision on each copy, with its reason.
create or replace function decide_copy() returns trigger language plpgsql as $$ begin
  insert into reason (text) values (new.reason) on conflict do nothing;
  insert into copy (identifier, url, source, sha256, verdict, decided_at, decision, decided_by, reason_number)
  values (
    new.identifier, new.url, coalesce((select source from search where identifier = new.identifier), ''), new.sha256,
    new.verdict, new.at, new.number, new.decided_by, (select number from reason where text = new.reason)
  )
  on conflict (identifier, url) do update set verdict = excluded.verdict, decided_at = excluded.decided_at,
    decision = excluded.decision, decided_by = excluded.decided_by, reason_number = excluded.reason_number;
  return null;
end $$;
create or replace trigger copy_decided after insert on decision for each row execute function decide_copy();

create or replace function forget_decision_entry() returns trigger language plpgsql as $$ begin
  delete from decision_entry where number = old.number;
  return null;
end $$;
create or replace trigger decision_entry_forget after delete on decision
for each row execute function forget_decision_entry();

-- How many items each source has by state and outcome.
create or replace function count_searches() returns trigger language plpgsql as $$ begin
  if tg_op = 'UPDATE' and (old.source, old.state, old.outcome, old.searched_at > 0)
    = (new.source, new.state, new.outcome, new.searched_at > 0) then return null;
  end if;
  if tg_op <> 'INSERT' then
    update search_count set items = items - 1 where source = old.source and state = old.state
      and outcome = old.outcome and searched = (old.searched_at > 0)::int;
  end if;
  if tg_op <> 'DELETE' then
    insert into search_count values (new.source, new.state, new.outcome, (new.searched_at > 0)::int, 1)
    on conflict (source, state, outcome, searched) do update set items = search_count.items + 1;
  end if;
  return null;
end $$;
create or replace trigger searches_counted after insert or delete or update of source, state, outcome, searched_at
on search for each row execute function count_searches();
