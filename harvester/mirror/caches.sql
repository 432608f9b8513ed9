-- Every query of the caches of a mirror. The form is that of gateway/store/queries.py.

-- name: faster
-- Leave it to the system when the file is written: a cache that a power failure damages is made again.
pragma synchronous = off;

-- name: damage
-- The first damage of the file; `ok` when there is none.
pragma quick_check(1);

-- name: answer_put
-- Remember an answer.
insert or replace into answer values (?, ?, ?, ?);

-- name: identifiers
-- Return the objects with an answer from a host, up to a number; -1: all.
select identifier from answer where host = ? and sha512 = ? limit ?;

-- name: mirrored_add
-- Add the newest version of an object.
insert into mirrored values (?, ?, 0, 0, 0, 0)
on conflict (identifier) do update set newest = excluded.newest where newest <> excluded.newest;

-- name: mirrored_put
-- Store the facts about an object as a whole.
replace into mirrored values (?, ?, ?, ?, ?, ?);

-- name: due
-- Return a part of the objects with a file that may be due, by identifier.
select identifier from mirrored
where identifier > :after and newest > 0
  and (every <> :every or head <> newest or due_at <= :now or due_at > :now + :every)
order by identifier limit :most;

-- name: due_count
-- Return the number of objects with a file that may be due.
select count(*) from mirrored
where newest > 0 and (every <> :every or head <> newest or due_at <= :now or due_at > :now + :every);

-- name: due_next
-- Return the next time at which a file is due, for a period.
select min(due_at) from mirrored where newest > 0 and every = ?;

-- name: not_in_round
-- Return a part of the objects that were not requested in a round, by identifier.
select identifier from mirrored
where identifier > :after and newest > 0 and round <> :round order by identifier limit :most;

-- name: not_in_round_count
-- Return the number of objects that were not requested in a round.
select count(*) from mirrored where newest > 0 and round <> :round;

-- name: round
-- Return the last round that requests everything.
select number, begun_at, is_ended from round;

-- name: round_forget
-- Forget the last round.
delete from round;

-- name: round_add
-- Store a round as the last one.
insert into round values (?, ?, ?);

-- name: refusing
-- Return the objects with an address whose last answer must not be stored.
select distinct identifier from sent where fate <> ? order by identifier;

-- name: checked
-- Return the last checks of the files of an object.
select path, sha512, at, rounds from checked where identifier = ?;

-- name: checked_put
-- Store the last check of a file.
replace into checked values (?, ?, ?, ?, ?);

-- name: checked_forget
-- Forget the checks of the files of an object.
delete from checked where identifier = ?;

-- name: sent
-- Return the last answers of the addresses of an object's files.
select path, url, entity_tag, last_modified, fate, reason, stated from sent where identifier = ?;

-- name: sent_put
-- Store the last answer of an address of a file.
replace into sent values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: sent_forget
-- Forget the last answers of the addresses of an object's files.
delete from sent where identifier = ?;

-- name: sent_forget_file
-- Forget the last answers of the addresses of one file of an object.
delete from sent where identifier = ? and path = ?;
