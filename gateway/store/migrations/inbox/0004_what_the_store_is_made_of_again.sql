-- What must be known to make the store again from this inbox: a note per source, in JSON, in the order of their coming.
create table source (
  id integer primary key,
  name text not null unique,
  note text not null
);

-- The sets of each source under our specs, with their names and descriptions.
create table announced_set (
  source text not null,
  spec text not null,
  name text not null,
  description blob not null,
  primary key (source, spec)
) without rowid;
