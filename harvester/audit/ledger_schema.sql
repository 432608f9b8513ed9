-- The tables of an audit against Crossref.
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists fact (name text primary key, value text not null) without rowid;
create table if not exists window (
  since text primary key, until text not null, cursor text not null default '*', received integer not null default 0,
  total integer not null default 0, is_done integer not null default 0) without rowid;
create table if not exists work (
  doi text primary key, title_key text not null, title text not null, journal text not null, issns text not null,
  dates text not null, year text not null, type text not null) without rowid;
create index if not exists work_title on work (title_key) where title_key <> '';
create table if not exists held (
  number integer primary key, identifier text not null, work text, title text not null, issns text not null,
  year text not null, has_file integer not null, dois text not null, differences text not null);
create index if not exists held_work on held (work);
create table if not exists agency (doi text primary key, name text not null) without rowid;
