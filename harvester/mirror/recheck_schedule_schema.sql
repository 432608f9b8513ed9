-- The tables of `mirror recheck`.
drop table if exists file; -- of version 0.3.0, which had fewer fields
drop table if exists object; -- the same
create table if not exists mirrored (
  identifier text primary key,
  newest integer, -- the version that the catalogue names last; 0: there is nothing to recheck
  head integer, -- the version that was checked last
  every integer, -- the period from which `due_at` is calculated
  due_at integer,
  round integer -- the last round that requests everything in which it was requested
) without rowid;
create table if not exists round (number integer, begun_at integer, is_ended integer);
create table if not exists checked (
  identifier text, path text, sha512 text, at integer, rounds integer, primary key (identifier, path)
) without rowid;
create table if not exists sent (
  identifier text, path text, url text, entity_tag text, last_modified text, fate text, reason text, stated text,
  primary key (identifier, path, url)
) without rowid;
