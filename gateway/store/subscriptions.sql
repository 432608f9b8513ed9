-- Every query of subscriptions. See queries.py for the form.

-- name: of_source
-- The subscriptions of a source.
select * from subscription where source = ? order by topic;

-- name: find
-- The subscription that is called under a token.
select * from subscription where token = ?;

-- name: ask
-- Ask for a topic: again if the hub knows us already, else under a new token.
insert into subscription values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (source, topic) do update set
  token = iif(hub = excluded.hub and state in ('asked', 'active'), token, excluded.token),
  secret = iif(hub = excluded.hub and state in ('asked', 'active'), secret, excluded.secret),
  tries = iif(hub = excluded.hub and state in ('asked', 'active'), tries + 1, excluded.tries),
  state = iif(hub = excluded.hub and state = 'active', state, excluded.state),
  hub = excluded.hub, asked_at = excluded.asked_at, reason = excluded.reason
returning *;

-- name: confirm
-- The hub confirms what was asked for.
update subscription set state = 'active', lease_seconds = ?, until = ?, tries = 0, reason = ''
where token = ? and state in ('asked', 'active');

-- name: deny
-- The hub denies what was asked for.
update subscription set state = 'denied', reason = ? where token = ? and state in ('asked', 'active');

-- name: end
-- The hub is to be asked to end it.
update subscription set state = 'ending', asked_at = ? where source = ? and topic = ? and state != 'ended';

-- name: ended
-- The hub has ended it.
update subscription set state = 'ended' where token = ?;

-- name: notify
-- The source has something new.
update subscription set notified_at = max(notified_at, ?) where token = ? and state = 'active';
