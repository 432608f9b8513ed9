-- Former addresses of sources. Records with datestamps before `until` came from there, as the lists of ResourceSync say.
create table former_source (
  source text not null,
  until integer not null,
  base_url text not null,
  kind text not null,
  primary key (source, until)
) without rowid;
