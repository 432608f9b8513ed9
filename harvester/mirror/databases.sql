-- Queries for every cache of a mirror. The form is that of gateway/store/queries.py.

-- name: faster
-- Leave it to the system when the file is written: a cache that a power failure damages is made again.
pragma synchronous = off;

-- name: damage
-- The first damage of the file; `ok` when there is none.
pragma quick_check(1);
