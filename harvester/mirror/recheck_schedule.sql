-- Every query of `mirror recheck`. The form is that of gateway/store/queries.py.

-- name: mirrored_add
-- Take the newest version of an object.
insert into mirrored values (?, ?, 0, 0, 0, 0)
on conflict (identifier) do update set newest = excluded.newest where newest <> excluded.newest;

-- name: mirrored_put
-- Write what is known of an object as a whole.
replace into mirrored values (?, ?, ?, ?, ?, ?);

-- name: due
-- A part of the objects of which something may be due, by identifier.
select identifier from mirrored
where identifier > :after and newest > 0
  and (every <> :every or head <> newest or due_at <= :now or due_at > :now + :every)
order by identifier limit :most;

-- name: due_count
-- How many objects there are of which something may be due.
select count(*) from mirrored
where newest > 0 and (every <> :every or head <> newest or due_at <= :now or due_at > :now + :every);

-- name: due_next
-- When something is due next, by a period.
select min(due_at) from mirrored where newest > 0 and every = ?;

-- name: not_in_round
-- A part of the objects that were not asked for in a round, by identifier.
select identifier from mirrored
where identifier > :after and newest > 0 and round <> :round order by identifier limit :most;

-- name: not_in_round_count
-- How many objects were not asked for in a round.
select count(*) from mirrored where newest > 0 and round <> :round;

-- name: round
-- The last round that asks for everything.
select number, begun_at, is_ended from round;

-- name: round_forget
-- Forget the last round.
delete from round;

-- name: round_add
-- Write the round that is the last.
insert into round values (?, ?, ?);

-- name: refusing
-- The objects of which some address sent last what is not to be kept.
select distinct identifier from sent where fate <> ? order by identifier;

-- name: checked
-- The last checks of the files of an object.
select path, sha512, at, rounds from checked where identifier = ?;

-- name: checked_put
-- Write the last check of a file.
replace into checked values (?, ?, ?, ?, ?);

-- name: checked_forget
-- Forget the checks of the files of an object.
delete from checked where identifier = ?;

-- name: sent
-- What the addresses of the files of an object sent last.
select path, url, entity_tag, last_modified, fate, reason, stated from sent where identifier = ?;

-- name: sent_put
-- Write what an address of a file sent last.
replace into sent values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: sent_forget
-- Forget what the addresses of the files of an object sent.
delete from sent where identifier = ?;

-- name: sent_forget_file
-- Forget what the addresses of one file of an object sent.
delete from sent where identifier = ? and path = ?;
