-- What arrived: whole pages, compressed, with the slices of their records; cursors; the story of the runs.

-- `slices` is compressed JSON: a list of the fields of each slice. `repaired` is empty when `body` was good as it came.
create table page (
  id integer primary key,
  source text not null,
  verb text not null,
  url text not null,
  received_at integer not null,
  status integer not null,
  headers text not null,
  metadata_prefix text not null,
  set_spec text not null,
  repairs text not null,
  slice_count integer not null,
  slices blob not null,
  body blob not null,
  repaired blob not null
);
create index page_records on page (source, id) where slice_count > 0;
create index page_verb on page (source, verb, id);

create table cursor (
  source text not null,
  metadata_prefix text not null,
  set_spec text not null,
  state text not null,
  primary key (source, metadata_prefix, set_spec)
) without rowid;

create table run (
  id integer primary key,
  source text not null,
  started_at integer not null,
  ended_at integer,
  outcome text not null,
  is_complete integer not null,
  counts text not null,
  reasons text not null
);
create index run_source on run (source, id);

create table event (
  id integer primary key,
  run integer not null,
  at integer not null,
  level text not null,
  text text not null
);
create index event_run on event (run, id);
