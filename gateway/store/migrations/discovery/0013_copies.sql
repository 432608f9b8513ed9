-- One row per item and copy, for lists of files: facts of the copy and of its work, and the last decision on it.
-- `verdict` is empty, and `decision` 0, if nothing was decided. `score` is -1 if the copy was not read.
create table copy (
  identifier text not null,
  url text not null,
  source text not null,
  title text not null default '',
  authors text not null default '',
  step text not null default '',
  host text not null default '',
  outcome text not null default '',
  score real not null default -1,
  kind text not null default '',
  colour text not null default '',
  license text not null default '',
  version text not null default '',
  size integer not null default 0,
  sha256 text not null default '',
  verdict text not null default '',
  decided_at integer not null default 0,
  decision integer not null default 0,
  primary key (identifier, url)
) without rowid;

create index copy_verdict on copy (verdict, identifier, url);
create index copy_score on copy (verdict, score, identifier, url);
create index copy_decided on copy (verdict, decided_at, identifier, url);
create index copy_title on copy (verdict, title, identifier, url);

create trigger copy_decided after insert on decision begin
  insert into copy (identifier, url, source, sha256, verdict, decided_at, decision)
  values (
    new.identifier, new.url, coalesce((select source from search where identifier = new.identifier), ''), new.sha256,
    new.verdict, new.at, new.number
  )
  on conflict (identifier, url) do update set
    verdict = excluded.verdict, decided_at = excluded.decided_at, decision = excluded.decision;
end;

-- Decisions of earlier releases. The other facts of their copies are in the stories, which are compressed.
insert into copy (identifier, url, source, sha256, verdict, decided_at, decision)
select identifier, url, coalesce((select source from search where search.identifier = decision.identifier), ''), sha256,
  verdict, at, number
from decision where not exists (
  select 1 from decision as later
  where later.identifier = decision.identifier and later.url = decision.url and later.number > decision.number);

-- The item up to which the stories were read after the upgrade; there is no row when all were.
create table copies_lack_after (identifier text primary key) without rowid;

insert into copies_lack_after select '' where exists (select 1 from search where story <> x'');
