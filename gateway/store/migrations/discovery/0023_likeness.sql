-- A new score, which is not comparable with that of earlier releases, and the judge that has read each file. `likeness` is
-- -1 if this judge has not read it. Files that wait are judged again, once.
drop index copy_verdict;
drop index copy_score;
drop index copy_decided;
drop index copy_title;

alter table copy add column likeness real not null default -1;
alter table copy add column judge integer not null default 0;
alter table copy drop column score;

create index copy_verdict on copy (
  verdict, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by, reason_number,
  likeness
);
create index copy_likeness on copy (
  verdict, likeness, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number
);
create index copy_decided on copy (
  verdict, decided_at, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number, likeness
);
create index copy_title on copy (
  verdict, title, identifier, url, source, host, step, outcome, kind, colour, license, version, decided_by,
  reason_number, likeness
);
create index copy_judge on copy (judge, identifier, url, source, decided_by, sha256) where verdict = 'review';
