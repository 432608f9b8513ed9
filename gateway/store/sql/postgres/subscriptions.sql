-- What differs on PostgreSQL.

-- name: hub_request_add
-- Store a request, which replaces an earlier one of the same callback and topic, under a new number.
insert into hub_request
  (callback, topic, mode, secret, lease_seconds, network, asked_at, since, tries, next_at)
values (:callback, :topic, :mode, :secret, :lease_seconds, :network, :asked_at, :since, 0, 0)
on conflict (callback, topic) do update set number = default, mode = excluded.mode, secret = excluded.secret,
  lease_seconds = excluded.lease_seconds, network = excluded.network, asked_at = excluded.asked_at,
  since = least(hub_request.since, excluded.since), tries = 0, next_at = 0;
