-- What SQLite alone needs: the records of an earlier release, and whether a file can be read.

-- name: dictionary
-- Return the content of a dictionary, with which an earlier release compressed records.
select content from dictionary where id = ?;

-- name: former_tables
-- Return a row if the store still has the tables of an earlier release.
select 1 from sqlite_schema where type = 'table' and name = 'former_record';

-- name: former_schema
-- Return a row if an earlier release has written the file, and no later one has opened it.
select 1 from sqlite_schema where type = 'table' and name = 'record';

-- name: former_total
-- Return how many records the store has, in blocks or not.
select coalesce(sum(records), 0) from tally where collection = 0 and span = 86400;

-- name: former_moved
-- Return how many records are in blocks; until all are, no block has holes.
select coalesce(sum(count), 0) from block;

-- name: former_first
-- Return the format of the first record that is not in a block yet.
select prefix from former_record limit 1;

-- name: former_records
-- Return the first records of a format that are not in blocks yet, with the sets of their items.
select former_record.datestamp, former_record.item, former_record.is_deleted, dictionary, digest,
  coalesce(cast(content as blob), x''), sets, departed
from former_record left join item on item.id = former_record.item
where prefix = :prefix order by former_record.datestamp, former_record.item limit :limit;

-- name: former_remove
-- Remove the records of a format up to a key, which are in blocks now.
delete from former_record where prefix = ? and (datestamp, item) <= (?, ?);

-- name: former_members_remove
-- Remove some of the places in sets of an earlier release.
delete from membership where (collection, prefix, datestamp, item) in (
  select collection, prefix, datestamp, item from membership limit ?
);

-- name: former_records_drop
-- Remove the empty table of the records of an earlier release.
drop table if exists former_record;

-- name: former_members_drop
-- Remove the empty table of the places in sets of an earlier release.
drop table if exists membership;

-- name: former_dictionaries_drop
-- Remove the dictionaries of an earlier release.
drop table if exists dictionary;

-- name: tables_count
-- Return the number of tables and indexes of a database; the query also reads the database file.
select count(*) from sqlite_schema;
