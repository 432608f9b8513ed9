-- Every query of subscriptions. See queries.py for the form.

-- name: of_source
-- Return the subscriptions of a source.
select * from subscription where source = ? order by topic;

-- name: find
-- Return the subscription that is called under a token.
select * from subscription where token = ?;

-- name: ask
-- Request a topic: again if the hub knows the subscription, else under a new token.
insert into subscription values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (source, topic) do update set
  token = iif(hub = excluded.hub and state in ('asked', 'active'), token, excluded.token),
  secret = iif(hub = excluded.hub and state in ('asked', 'active'), secret, excluded.secret),
  tries = iif(hub = excluded.hub and state in ('asked', 'active'), tries + 1, excluded.tries),
  state = iif(hub = excluded.hub and state = 'active', state, excluded.state),
  hub = excluded.hub, asked_at = excluded.asked_at, reason = excluded.reason
returning *;

-- name: confirm
-- Store that the hub confirmed the request.
update subscription set state = 'active', lease_seconds = ?, until = ?, tries = 0, reason = ''
where token = ? and state in ('asked', 'active');

-- name: deny
-- Store that the hub denied the request.
update subscription set state = 'denied', reason = ? where token = ? and state in ('asked', 'active');

-- name: end
-- Store that the hub is to be asked to unsubscribe.
update subscription set state = 'ending', asked_at = ? where source = ? and topic = ? and state != 'ended';

-- name: ended
-- Store that the hub has unsubscribed.
update subscription set state = 'ended' where token = ?;

-- name: notify
-- Store that the source has new records.
update subscription set notified_at = max(notified_at, ?) where token = ? and state = 'active';
