-- What lists of resources are made of (ResourceSync 1.1), so that no list reads the records.

-- Length and SHA-256 of the metadata of each living record. Records from before are added in the background; the fact
-- says which items may still lack theirs: those up to this number. `id` is the number of the item times 2^20 plus that of
-- the format: new rows are appended, which saves a fifth of the space.
create table resource (id integer primary key, length integer not null, sha256 blob not null);
insert into fact select 'resources_lack_until', max(id) from item having max(id) is not null;

-- The same of each version in the log of changes (null: deleted, or not known), and the sets that the item was in with
-- it, or left with it. Lines from before have none of these: the fact is the first second that lists can begin with.
alter table change add column length integer;
alter table change add column sha256 blob;
alter table change add column sets integer;
alter table change add column departed integer;
insert into fact select 'changes_from', max(datestamp) + 1 from change having max(datestamp) is not null;

-- Combinations of sets that items are in: JSON lists of numbers, ancestors included.
create table combination (id integer primary key, sets text not null unique);
insert into combination values (0, '[]');

-- The lines of each publication in one format. Publications are not written in the order of their datestamps.
create table logged (
  prefix integer not null,
  datestamp integer not null,
  first integer not null,
  last integer not null,
  primary key (prefix, datestamp, first)
) without rowid;

-- The files to which the DIDL of an item refers, in its order. `sha256` is empty if it is not known.
create table content (
  item integer not null,
  place integer not null,
  url text not null,
  mime_type text not null,
  size integer,
  sha256 blob not null,
  modified text not null,
  copy_url text not null,
  primary key (item, place)
) without rowid;
