-- Which repository each source is: what was accepted, what it said last, and why its records look like another one's.
create table identity (
  source text primary key,
  accepted text not null,
  said text not null,
  strange text not null,
  is_strange_accepted integer not null
) without rowid;

-- What each source said that it is o'clock, and what the clocks of this host showed when it said so.
create table source_clock (
  source text primary key,
  host text not null,
  second real not null,
  is_sure integer not null,
  monotonic real not null,
  boot text not null,
  suspended real not null
) without rowid;
