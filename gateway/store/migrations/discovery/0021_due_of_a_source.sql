-- A lease, a round of `tend` and a page read what they need from an index, however many searches there are: what is due,
-- of all sources and of one; what was searched for; what is not published; the alarms in force; the accepted files; the
-- outcomes of days.
drop index search_due;
drop index search_searched;
create index search_due on search (due, identifier) where state <> 'done';
create index search_due_of on search (source, due, identifier) where state <> 'done';
create index search_ended on search (source, searched_at) where searched_at > 0;
create index search_unpublished_of on search (source, identifier) where changed > published;
create index alarm_closed on alarm (closed_at, number);
create index ending_day on ending (day);
create index decision_accepted on decision (source, identifier, url, number) where verdict = 'accept';

update decision set source = coalesce((select source from search where search.identifier = decision.identifier), '')
where source = '';

-- How many items each source has by state and outcome; `searched` is 1 if they were ever searched for.
create table search_count (
  source text not null,
  state text not null,
  outcome text not null,
  searched integer not null,
  items integer not null,
  primary key (source, state, outcome, searched)
) without rowid;

insert into search_count
select source, state, outcome, searched_at > 0, count(*) from search group by source, state, outcome, searched_at > 0;

create trigger search_count_more after insert on search begin
  insert into search_count values (new.source, new.state, new.outcome, new.searched_at > 0, 1)
  on conflict (source, state, outcome, searched) do update set items = items + 1;
end;

create trigger search_count_fewer after delete on search begin
  update search_count set items = items - 1 where source = old.source and state = old.state and outcome = old.outcome
    and searched = (old.searched_at > 0);
end;

create trigger search_count_other after update of source, state, outcome, searched_at on search
when (old.source, old.state, old.outcome, old.searched_at > 0)
  <> (new.source, new.state, new.outcome, new.searched_at > 0) begin
  update search_count set items = items - 1 where source = old.source and state = old.state and outcome = old.outcome
    and searched = (old.searched_at > 0);
  insert into search_count values (new.source, new.state, new.outcome, new.searched_at > 0, 1)
  on conflict (source, state, outcome, searched) do update set items = items + 1;
end;
