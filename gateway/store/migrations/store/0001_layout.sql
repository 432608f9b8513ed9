-- The published records, for 15 million of them: integer keys, narrow rows, the texts of an item kept once.
-- Seconds are seconds since 1970. The set 0 is everything; it has tallies but no memberships.

create table fact (name text primary key, value text not null) without rowid;

-- One row: see gateway/core/clock.py.
create table clock (
  id integer primary key check (id = 1),
  wall real not null,
  monotonic real not null,
  boot text not null,
  ceiling integer not null
);

-- Open intents. Numbers are never used again: a publication must not take another's intent for its own.
create table intent (
  id integer primary key autoincrement,
  watermark integer not null,
  expires integer not null
);

-- `stem`: the beginning that local identifiers of this source have before the upstream's. The counts are of its items.
create table source (
  id integer primary key,
  name text not null unique,
  base_url text not null,
  kind text not null,
  is_removed integer not null,
  position integer not null default 0,
  stem text,
  items integer not null default 0,
  deleted integer not null default 0,
  fulltext integer not null default 0
);

-- The names of metadata formats, ours and upstreams', as numbers.
create table prefix (id integer primary key, name text not null unique);

create table format (
  prefix integer primary key,
  schema text not null,
  namespace text not null,
  version integer not null,
  source text not null,
  upstream_prefix text not null
);

-- Under which exposed prefix a source's format is found.
create table upstream_format (
  source text not null,
  upstream_prefix text not null,
  prefix integer not null,
  primary key (source, upstream_prefix)
) without rowid;

create table collection (
  id integer primary key,
  spec text not null unique,
  name text not null,
  description blob not null
);
insert into collection values (0, 'source', 'All sources', x'');

-- `identifier` is null when it is the source's stem and `upstream`. `sets` and `departed` are JSON lists of numbers of
-- sets, ancestors included: those it is in, and those it was in.
create table item (
  id integer primary key,
  source integer not null,
  is_deleted integer not null,
  upstream text not null,
  identifier text,
  sets text not null,
  departed text
);
create unique index item_upstream on item (source, upstream);
create unique index item_identifier on item (identifier) where identifier is not null;

-- Where the last good payload of an item in one upstream format lies in the inbox.
create table payload (
  item integer not null,
  prefix integer not null,
  page integer not null,
  slice integer not null,
  is_deleted integer not null,
  digest blob not null,
  primary key (item, prefix)
) without rowid;

-- `records`: how many records the format had when its dictionary was made.
create table dictionary (
  id integer primary key,
  prefix integer not null,
  records integer not null,
  content blob not null
);

create table record (
  prefix integer not null,
  datestamp integer not null,
  item integer not null,
  is_deleted integer not null,
  dictionary integer not null,
  digest blob not null,
  content blob not null,
  primary key (prefix, datestamp, item)
) without rowid;
create unique index record_item on record (item, prefix);

create table membership (
  collection integer not null,
  prefix integer not null,
  datestamp integer not null,
  item integer not null,
  is_departed integer not null,
  primary key (collection, prefix, datestamp, item)
) without rowid;

-- How many records lie in each day, hour and second (span 86400, 3600, 1) from `start` on.
create table tally (
  collection integer not null,
  prefix integer not null,
  span integer not null,
  start integer not null,
  records integer not null,
  departed integer not null,
  primary key (collection, prefix, span, start)
) without rowid;

-- Append-only. Kinds: 0 created, 1 updated, 2 deleted.
create table change (
  id integer primary key,
  item integer not null,
  prefix integer not null,
  datestamp integer not null,
  kind integer not null
);

create table quarantine (
  id integer primary key,
  source integer not null,
  metadata_prefix text not null,
  identifier text not null,
  page integer not null,
  slice integer not null,
  reason text not null,
  at integer not null,
  released_at integer
);
create unique index quarantine_named on quarantine (source, metadata_prefix, identifier)
  where released_at is null and identifier <> '';
create unique index quarantine_nameless on quarantine (source, metadata_prefix, page, slice)
  where released_at is null and identifier = '';
create index quarantine_now on quarantine (id, source) where released_at is null;
