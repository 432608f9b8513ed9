-- The last deletion of each record that a source has sent and that was not carried out, and where it lies in the inbox.
-- `waits`: a person is to decide on it; else nothing was held of the record.
create table deletion (
  source integer not null,
  metadata_prefix text not null,
  identifier text not null,
  page integer not null,
  slice integer not null,
  waits integer not null,
  primary key (source, identifier, metadata_prefix)
) without rowid;
create index deletion_waiting on deletion (source, metadata_prefix, identifier) where waits;
