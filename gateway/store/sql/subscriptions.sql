-- Every query of subscriptions. See queries.py for the form.

-- name: of_source
-- Return the subscriptions of a source.
select * from subscription where source = ? order by topic;

-- name: of_all
-- Return the subscriptions of all sources.
select * from subscription order by source, topic;

-- name: find
-- Return the subscription that is called under a token.
select * from subscription where token = ?;

-- name: ask
-- Request a topic: again if the hub knows the subscription, else under a new token.
insert into subscription values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (source, topic) do update set
  token = case when subscription.hub = excluded.hub and subscription.state in ('asked', 'active')
    then subscription.token else excluded.token end,
  secret = case when subscription.hub = excluded.hub and subscription.state in ('asked', 'active')
    then subscription.secret else excluded.secret end,
  tries = case when subscription.hub = excluded.hub and subscription.state in ('asked', 'active')
    then subscription.tries + 1 else excluded.tries end,
  state = case when subscription.hub = excluded.hub and subscription.state = 'active'
    then subscription.state else excluded.state end,
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
update subscription set state = 'ending', asked_at = ? where source = ? and topic = ? and state <> 'ended';

-- name: ended
-- Store that the hub has unsubscribed.
update subscription set state = 'ended' where token = ?;

-- name: notify
-- Store that the source has new records.
update subscription set notified_at = max(notified_at, ?) where token = ? and state = 'active';

-- name: hub_knows
-- Return a row if there is a subscription or a request of a callback and a topic.
select 1 from subscriber where callback = :callback and topic = :topic
union all select 1 from hub_request where callback = :callback and topic = :topic;

-- name: hub_counts
-- Return how many subscriptions and requests there are, and how many of them a network has.
select
  (select count(*) from subscriber) + (select count(*) from hub_request),
  (select count(*) from subscriber where network = :network) + (select count(*) from hub_request where network = :network);

-- name: hub_request_add
-- Store a request, which replaces an earlier one of the same callback and topic.
insert or replace into hub_request
  (callback, topic, mode, secret, lease_seconds, network, asked_at, since, tries, next_at)
values (:callback, :topic, :mode, :secret, :lease_seconds, :network, :asked_at,
  min(:since, coalesce((select since from hub_request where callback = :callback and topic = :topic), :since)), 0, 0);

-- name: hub_requests
-- Return the requests that are due, the oldest first, after a number.
select * from hub_request where next_at <= :now and number > :after order by number limit :limit;

-- name: hub_request_postpone
-- Store the next try of a request.
update hub_request set tries = tries + 1, next_at = ? where number = ?;

-- name: hub_request_drop
-- Delete a request.
delete from hub_request where number = ?;

-- name: subscriber_admit
-- Make a subscription of a request, or renew the one of the same callback and topic.
insert into subscriber
  (callback, topic, secret, network, until, delivered_until, tries, next_at, failing_since, problem)
select callback, topic, secret, network, cast(? as bigint), since, 0, 0, 0, '' from hub_request
where number = ? and mode = 'subscribe'
on conflict (callback, topic) do update set
  secret = excluded.secret, network = excluded.network, until = excluded.until,
  tries = 0, next_at = 0, failing_since = 0, problem = '';

-- name: subscriber_release
-- Delete the subscription whose end a request asks for.
delete from subscriber where (callback, topic) in
  (select callback, topic from hub_request where number = ? and mode = 'unsubscribe');

-- name: subscribers
-- Return all subscriptions, the oldest first.
select * from subscriber order by number;

-- name: subscribers_due
-- Return some subscriptions that are valid and may be called now, the oldest first.
select * from subscriber where until > :now and next_at <= :now and number > :after order by number limit :limit;

-- name: subscriber_delivered
-- Store that all changes before a second were delivered.
update subscriber set delivered_until = max(delivered_until, ?), tries = 0, next_at = 0, failing_since = 0, problem = ''
where number = ?;

-- name: subscriber_failed
-- Store that a delivery failed, and the next try.
update subscriber set tries = tries + 1, next_at = ?, problem = ?,
  failing_since = case failing_since when 0 then ? else failing_since end where number = ?;

-- name: subscriber_remove
-- Delete a subscription.
delete from subscriber where number = ? returning 1;

-- name: subscriber_expire
-- Delete the subscriptions whose lease is over.
delete from subscriber where until <= ? returning 1;

-- name: subscriber_deny
-- Store that a subscriber is to be informed of the end of its subscription.
insert into hub_denial (callback, topic, reason) select callback, topic, cast(? as text) from subscriber where number = ?;

-- name: hub_denials
-- Return the denials of which nobody was informed, the oldest first.
select number, callback, topic, reason from hub_denial order by number limit ?;

-- name: hub_denial_drop
-- Delete a denial.
delete from hub_denial where number = ?;

-- name: hub_count
-- Count deliveries that ended in one way.
insert into hub_total values (?, ?) on conflict (outcome) do update set count = hub_total.count + excluded.count;

-- name: hub_totals
-- Return how many deliveries ended how.
select outcome, count from hub_total order by outcome;
