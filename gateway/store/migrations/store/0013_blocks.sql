-- Records lie in blocks of about a hundred, which are compressed once and served as they lie (gateway/store/README.md).
-- What is in `former_record` is moved into blocks when the store is opened, a part at a time; then it is removed, and so
-- are `membership` and `dictionary` (sqlite_conversion.py).

alter table record rename to former_record;
drop index record_item;

-- A block and what is true of it for ever: the records, their headers, and the facts that compressed answers are made of.
-- `lengths` and `items` are packed numbers, of each record.
create table body (
  id integer primary key autoincrement,
  length integer not null,
  crc integer not null,
  adler integer not null,
  header_length integer not null,
  header_crc integer not null,
  header_adler integer not null,
  lengths blob not null,
  items blob not null,
  headers blob not null,
  records blob not null
);

-- The keys of a block, and what changes: `holes` are the bits of superseded records. `runs` is null if the numbers of its
-- keys follow each other. Blocks of a list never overlap. `is_small`: it has few
-- records, and few bytes. `is_tight`: it was compressed with all the time that it takes.
create table block (
  prefix integer not null,
  datestamp integer not null,
  number integer not null,
  last_datestamp integer not null,
  last_number integer not null,
  count integer not null,
  is_small integer not null,
  holes blob,
  runs blob,
  body integer not null,
  is_tight integer not null default 0,
  primary key (prefix, datestamp, number)
) without rowid;
create index block_bad on block (prefix, datestamp, number) where holes is not null or is_small;

-- Where the record of an item is: its key in the list of its format.
create table place (
  item integer not null,
  prefix integer not null,
  datestamp integer not null,
  number integer not null,
  is_deleted integer not null,
  digest blob not null,
  primary key (item, prefix)
) without rowid;

-- The members of a set in a block, and the records that left it, as bits. No row: there are none. `datestamp` and
-- `number` are those of the block.
create table member (
  collection integer not null,
  prefix integer not null,
  datestamp integer not null,
  number integer not null,
  bits blob,
  departed blob,
  primary key (collection, prefix, datestamp, number)
) without rowid;
create index member_block on member (prefix, datestamp, number);

-- Lists of sparse sets that somebody harvests: `number` is negative, and stands in `block` in place of a format. A list has
-- the records up to the key `datestamp`, `last`; `wanted_on` is the day since 1970 on which it was last asked for.
create table own_list (
  number integer primary key,
  collection integer not null,
  prefix integer not null,
  datestamp integer not null default 0,
  last integer not null default 0,
  is_ready integer not null default 0,
  wanted_on integer not null,
  unique (collection, prefix)
);

-- The combinations of sets that items are in, also those from before there was a log of them.
insert or ignore into combination (sets) select distinct sets from item;

-- The last number that a record got. Records from before have the number of their item.
insert into fact select 'last_number', coalesce(max(id), 0) from item where true on conflict do nothing;
