-- The tables of the records that one list names, for the time of a sweep.
pragma journal_mode = off;
pragma synchronous = off;
create table named (
  identifier blob primary key, is_deleted integer not null, place integer, known integer not null default 0
) without rowid;
create table noted (id integer primary key, kind text not null, identifier blob not null);
