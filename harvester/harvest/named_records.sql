-- Every query of what a list names. The form is that of gateway/store/queries.py.

-- name: add
-- Add a record that a list names.
insert or ignore into named (identifier, is_deleted, place) values (?, ?, ?);

-- name: living_put
-- Note that a record is living: one list names it so.
update named set is_deleted = 0 where identifier = ? and is_deleted;

-- name: wanted_put
-- Note that a record is wanted: one list wants it.
update named set place = ? where identifier = ? and place is null;

-- name: known_put
-- Remember what is known of a record of which nothing was known.
update named set known = ? where identifier = ? and known = 0;

-- name: living_count
-- How many are named as living and wanted; of which this is known, if it is given.
select count(*) from named where not is_deleted and place is not null and known = ifnull(?, known);

-- name: known
-- A part of those that are named as living and wanted, and of which this is known, by identifier.
select identifier, place from named
where not is_deleted and place is not null and known = ? and identifier > ? order by identifier limit ?;

-- name: is_living
-- A row where a record is named, and not as deleted.
select 1 from named where identifier = ? and not is_deleted;

-- name: is_known
-- A row where this is known of a record.
select 1 from named where identifier = ? and known = ?;

-- name: note
-- Keep an identifier under a kind of note.
insert into noted (kind, identifier) values (?, ?);

-- name: noted_count
-- How many were noted under a kind.
select count(*) from noted where kind = ?;

-- name: noted
-- A part of what was noted under a kind, in order.
select id, identifier from noted where kind = ? and id > ? order by id limit ?;
