-- The reasons of the last decisions on copies, each text once: few texts are searched for words, and then numbers in the
-- indexes of the lists are compared. `reason_number` is 0 if nothing was decided.
create table reason (number integer primary key, text text not null unique);

insert or ignore into reason (text)
select reason from decision where number in (select decision from copy where decision > 0);

alter table copy add column reason_number integer not null default 0;

update copy set reason_number = (
  select reason.number from decision join reason on reason.text = decision.reason where decision.number = copy.decision)
where decision > 0;

drop trigger copy_decided;

create trigger copy_decided after insert on decision begin
  insert or ignore into reason (text) values (new.reason);
  insert into copy (identifier, url, source, sha256, verdict, decided_at, decision, decided_by, reason_number)
  values (
    new.identifier, new.url, coalesce((select source from search where identifier = new.identifier), ''), new.sha256,
    new.verdict, new.at, new.number, new.decided_by, (select number from reason where text = new.reason)
  )
  on conflict (identifier, url) do update set verdict = excluded.verdict, decided_at = excluded.decided_at,
    decision = excluded.decision, decided_by = excluded.decided_by, reason_number = excluded.reason_number;
end;

drop index decision_reason;
drop index if exists copy_digest;  -- copy_sha256 has the same
drop index copy_verdict;
drop index copy_score;
drop index copy_decided;
drop index copy_title;

create index copy_verdict on copy (
  verdict, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by, reason_number, score
);
create index copy_score on copy (
  verdict, score, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number
);
create index copy_decided on copy (
  verdict, decided_at, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number, score
);
create index copy_title on copy (
  verdict, title, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number, score
);
