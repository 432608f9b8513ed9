-- Each list of copies is read from one index, which has all that copies are chosen by: a filter that matches nothing, or
-- the last row, reads no row of the table.
alter table copy add column decided_by text not null default '';

update copy set decided_by = (select decided_by from decision where number = copy.decision) where decision > 0;

drop trigger copy_decided;

create trigger copy_decided after insert on decision begin
  insert into copy (identifier, url, source, sha256, verdict, decided_at, decision, decided_by)
  values (
    new.identifier, new.url, coalesce((select source from search where identifier = new.identifier), ''), new.sha256,
    new.verdict, new.at, new.number, new.decided_by
  )
  on conflict (identifier, url) do update set verdict = excluded.verdict, decided_at = excluded.decided_at,
    decision = excluded.decision, decided_by = excluded.decided_by;
end;

drop index copy_verdict;
drop index copy_score;
drop index copy_decided;
drop index copy_title;

create index copy_verdict on copy (
  verdict, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by, decision, score
);
create index copy_score on copy (
  verdict, score, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by, decision
);
create index copy_decided on copy (
  verdict, decided_at, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  decision, score
);
create index copy_title on copy (
  verdict, title, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by, decision,
  score
);

-- For words in the reasons of a verdict.
create index decision_reason on decision (verdict, reason);
