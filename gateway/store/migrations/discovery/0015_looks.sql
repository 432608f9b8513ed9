-- The last look at each published file, and when the next one is due. `share` is its place in the period.
create table look (
  identifier text not null,
  url text not null,
  source text not null,
  host text not null,
  sha256 text not null,
  is_named integer not null,
  share integer not null,
  every integer not null,
  due integer not null,
  looked_at integer not null,
  whole_at integer not null,
  rounds integer not null,
  outcome text not null,
  final_url text not null,
  entity_tag text not null,
  modified text not null,
  failures integer not null,
  failing_since integer not null,
  text_sha256 text not null,
  primary key (identifier, url)
) without rowid;

create index look_source on look (source, due);
create index look_host on look (source, host, due, identifier, url);

-- Hosts that stamp each download: the bytes differ each time, and the text does not.
create table stamping_host (name text primary key, noticed_at integer not null) without rowid;
