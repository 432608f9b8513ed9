-- Every query of users. See queries.py for the form.

-- name: user_any
-- Return a row if there is a user.
select 1 from user limit 1;

-- name: users
-- Return all users, sorted by name.
select number, name, role, sources, password, generation, added_at, signed_in_at from user order by key;

-- name: user_find
-- Return the user of a name as names are compared.
select number, name, role, sources, password, generation, added_at, signed_in_at from user where key = ?;

-- name: user_add
-- Add a user.
insert into user (name, key, role, sources, password, generation, added_at, signed_in_at)
values (?, ?, ?, ?, ?, 1, ?, 0);

-- name: user_remove
-- Delete a user.
delete from user where key = ? returning number, name;

-- name: user_password
-- Set the password of a user, which ends the sessions.
update user set password = ?, generation = generation + 1 where key = ? returning number, name;

-- name: user_signed_in
-- Write when a user signed in last.
update user set signed_in_at = ? where number = ?;

-- name: session_begin
-- Begin a session, if the password that was checked is still that of the user.
insert into session (token, user, generation, begun_at, used_at)
select cast(:token as text), number, generation, cast(:at as bigint), cast(:at as bigint) from user where number = :user and generation = :generation
returning user;

-- name: session_find
-- Return the user of a session that is neither ended nor idle for too long.
select u.number, u.name, u.role, u.sources, u.password, u.generation, u.added_at, u.signed_in_at, s.used_at
from session s join user u on u.number = s.user and u.generation = s.generation
where s.token = :token and s.used_at > :idle_since and s.begun_at > :begun_since and s.used_at <= :latest;

-- name: session_used
-- Write when a session was last used.
update session set used_at = max(used_at, ?) where token = ?;

-- name: session_end
-- End a session.
delete from session where token = ? returning user;

-- name: sessions_end
-- End all sessions of a user.
delete from session where user = ?;

-- name: sessions_end_all
-- End all sessions.
delete from session;

-- name: sessions_expire
-- Delete the sessions that are over.
delete from session where used_at <= :idle_since or begun_at <= :begun_since or used_at > :latest;

-- name: failure_find
-- Return how often signing in has failed, and until when it must not be tried.
select count, free_at from failure where key = :key and (failed_at > :since or free_at > :now);

-- name: failure_count
-- Count one more failure.
insert into failure (key, count, failed_at, free_at) values (?, ?, ?, ?)
on conflict (key) do update set count = excluded.count, failed_at = excluded.failed_at, free_at = excluded.free_at;

-- name: failure_forgive
-- Take one failure back.
update failure set count = count - 1, free_at = 0 where key = ?;

-- name: failure_forget
-- Forget the failures of a name, or of a network.
delete from failure where key = ?;

-- name: failures_expire
-- Delete failures that are too old to count, and those that a clock far ahead has written.
delete from failure where failed_at <= :since and free_at <= :now or failed_at > :latest;

-- name: failures_trim
-- Delete the oldest failures beyond a number.
delete from failure where key in (select key from failure order by failed_at desc, key limit 9223372036854775807 offset ?);

-- name: network_knows
-- Return a row if a user has signed in from a network since a moment.
select 1 from known_network where user = ? and network = ? and at > ?;

-- name: network_note
-- Note that a user has signed in from a network.
insert into known_network (user, network, at) values (?, ?, ?)
on conflict (user, network) do update set at = excluded.at;

-- name: networks_trim
-- Delete all networks of a user but the last ones.
delete from known_network where user = :user and network not in (
  select network from known_network where user = :user order by at desc, network limit :most);

-- name: networks_forget
-- Forget the networks of a user.
delete from known_network where user = ?;

-- name: log_add
-- Add a line to the log.
insert into log (at, by, deed, about, network) values (?, ?, ?, ?, ?);

-- name: log_between
-- Return the lines of a deed between two seconds, without their networks.
select at, by, deed, about from log where deed = ? and at between ? and ?;

-- name: log_first
-- Return the second of the first line of the log.
select at from log order by number limit 1;

-- name: log_recent
-- Count the lines of a deed between two moments, up to a number.
select count(*) from (select 1 from log where deed = ? and at > ? and at <= ? limit ?) as recent;

-- name: log_before
-- Return lines of the log, the newest first.
select at, by, deed, about, network, number from log where number < ? order by number desc limit ?;
