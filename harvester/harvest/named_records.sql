-- Every query of the records that a list names. The form is that of gateway/store/queries.py.

-- name: add
-- Add a record that a list names.
insert or ignore into named (identifier, is_deleted, place) values (?, ?, ?);

-- name: living_put
-- Note that a record is living: one list names it as living.
update named set is_deleted = 0 where identifier = ? and is_deleted;

-- name: wanted_put
-- Note that a record is wanted: one list wants it.
update named set place = ? where identifier = ? and place is null;

-- name: known_put
-- Store what is known of a record, if nothing was known.
update named set known = ? where identifier = ? and known = 0;

-- name: living_count
-- Return how many named records are living and wanted, and have this status, if it is given.
select count(*) from named where not is_deleted and place is not null and known = ifnull(?, known);

-- name: known
-- Return a part of the named records that are living, wanted and of this status, by identifier.
select identifier, place from named
where not is_deleted and place is not null and known = ? and identifier > ? order by identifier limit ?;

-- name: is_living
-- Return a row if a record is named, and not as deleted.
select 1 from named where identifier = ? and not is_deleted;

-- name: is_known
-- Return a row if a record has this status.
select 1 from named where identifier = ? and known = ?;

-- name: note
-- Store an identifier under a kind of note.
insert into noted (kind, identifier) values (?, ?);

-- name: noted_count
-- Return how many identifiers have a kind of note.
select count(*) from noted where kind = ?;

-- name: noted
-- Return a part of the identifiers with a kind of note, in order.
select id, identifier from noted where kind = ? and id > ? order by id limit ?;
