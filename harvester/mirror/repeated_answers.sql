-- Every query of the short answers of a mirror's servers. The form is that of gateway/store/queries.py.

-- name: answer_put
-- Remember an answer.
insert or replace into answer values (?, ?, ?, ?);

-- name: identifiers
-- Return the objects with an answer from a host, up to a number; -1: all.
select identifier from answer where host = ? and sha512 = ? limit ?;
