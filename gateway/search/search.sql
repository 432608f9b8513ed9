-- The queries of the search index.

-- name: version
-- Return the version of the schema and of the words.
pragma user_version;

-- name: durability
-- Let the log be written without waiting for the disk: a lost transaction is repeated, because its position is lost too.
pragma synchronous = normal;

-- name: cache
-- Use 32 MB of memory.
pragma cache_size = -32768;

-- name: checkpoint
-- Write the write-ahead log into the file, and empty it.
pragma wal_checkpoint(truncate);

-- name: snapshot
-- Begin a transaction for reading.
begin;

-- name: schema_version
-- Read the first page of the file.
pragma schema_version;

-- name: state
-- Return the state.
select position, mark, reached, stale from state;

-- name: position_move
-- Move the position to a line of the log of changes.
update state set position = ?, mark = ?;

-- name: reached_move
-- Note the second up to which the index is complete.
update state set reached = ?;

-- name: stale_add
-- Count entries that became stale.
update state set stale = stale + ?;

-- name: item_count
-- Return how many items there are, without a walk over them.
select ifnull(sum(items), 0) from year_count;

-- name: item_last
-- Return the last number that an item got, also one that was removed.
select ifnull(max(seq), 0) from sqlite_sequence where name = 'item';

-- name: item_known
-- Return identifiers, numbers and digests of items (a JSON list of names).
select item.identifier, item.id, item.digest
from json_each(?) as wanted cross join item on item.name = wanted.value;

-- name: item_add
-- Add an item.
insert into item (id, name, identifier, combination, year, has_file, title_words, digest)
values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: item_remove
-- Remove an item.
delete from item where id = ?;

-- name: word_add
-- Add the words of an item.
insert into word (rowid, title, other) values (?, ?, ?);

-- name: value_add
-- Give a value a number.
insert into value (kind, text) values (?, ?) on conflict do nothing;

-- name: value
-- Return the number of a value.
select id from value where kind = ? and text = ?;

-- name: values
-- Return all values of facets.
select id, kind, text from value;

-- name: combination_add
-- Give a combination of values a number.
insert into combination (value_list) values (?) on conflict do nothing;

-- name: combination
-- Return the number of a combination.
select id from combination where value_list = ?;

-- name: combinations
-- Return combinations (a JSON list of numbers).
select combination.id, combination.value_list
from json_each(?) as wanted cross join combination on combination.id = wanted.value;

-- name: years
-- Return the years in which there are items, the latest first, with how many there are and how many have a file.
select year, items, with_file from year_count where year > 0 and items > 0 order by year desc;

-- name: matches
-- Return the first items, the newest first, whose words fit an expression; stale ones as null.
select matches.id, item.id, item.combination, item.year, item.title_words
from (select rowid as id from word where word match ? order by rowid desc limit ?) as matches
left join item on item.id = matches.id;

-- name: numbers
-- Return the numbers of the first entries, the newest first, whose words fit an expression.
select rowid from word where word match ? order by rowid desc limit ?;

-- name: identifiers
-- Return the identifiers of items (a JSON list of numbers).
select item.id, item.identifier from json_each(?) as wanted cross join item on item.id = wanted.value;
