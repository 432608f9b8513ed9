-- The files that were offered to the source of their item, and the outcome of each offer. `way`: inbox or folder.
create table offer (
  identifier text not null,
  sha256 text not null,
  way text not null check (way in ('inbox', 'folder')),
  source text not null,
  outcome text not null,
  at integer not null,
  tries integer not null,
  next_at integer not null,
  status integer not null,
  place text not null,
  location text not null,
  problem text not null,
  primary key (identifier, sha256, way)
) without rowid;

create index offer_source on offer (source, identifier, sha256, way);
