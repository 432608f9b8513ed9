-- What differs on PostgreSQL.

-- name: clock_make
-- Store the row of a new store.
insert into clock (id, second, history) values (1, 0, '') on conflict do nothing;

-- name: clock
-- Return the row, the history of this server (null: a replica), its time, and the first expiry and lowest watermark.
select second, history,
  case when not pg_is_in_recovery() then
    (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  end,
  floor(extract(epoch from clock_timestamp())),
  (select min(expires) from intent),
  (select min(watermark) from intent)
from clock;

-- name: clock_set
-- Raise the row.
update clock set second = ?, history = ?;

-- name: intents_renumber
-- Let the numbers of intents continue from the microsecond of the server, which no other history has used.
select setval(sequence, greatest(nextval(sequence), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)))
from (select cast(pg_get_serial_sequence('intent', 'id') as regclass)) as intents (sequence);

-- name: item_merged
-- Return items of a source whose upstream identifiers differ from `upstream` at most in the lengths of rows of slashes.
select coalesce(item.identifier, source.stem || item.upstream)
from source join item on item.source = source.id
where source.name = :source and strpos('/' || upstream, '//') > 0
  and replace(replace(replace('/' || upstream, '/', chr(1) || chr(2)), chr(2) || chr(1), ''), chr(1) || chr(2), '/')
    = replace(replace(replace('/' || :upstream, '/', chr(1) || chr(2)), chr(2) || chr(1), ''), chr(1) || chr(2), '/')
limit :limit;
