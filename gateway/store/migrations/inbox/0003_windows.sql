-- A list whose first harvest is sliced: each window has a cursor and an outcome of its own.
create table window (
  source text not null,
  metadata_prefix text not null,
  set_spec text not null,
  dates text not null,
  outcome text not null,
  state text not null,
  primary key (source, metadata_prefix, set_spec, dates)
) without rowid;
