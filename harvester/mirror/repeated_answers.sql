-- Every query of the short answers of a mirror's servers. The form is that of gateway/store/queries.py.

-- name: answer_put
-- Remember an answer.
insert or replace into answer values (?, ?, ?, ?);

-- name: identifiers
-- The objects for which an answer came from a host, at most so many; -1: all.
select identifier from answer where host = ? and sha512 = ? limit ?;
