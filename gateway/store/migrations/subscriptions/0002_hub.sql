-- The subscriptions of others at our hub. Seconds are seconds since 1970.
-- A request waits until the harvester has verified it. `since` is the horizon at its arrival. Numbers are never used
-- again, so a request that replaced another one is not taken for it.
create table hub_request (
  number integer primary key autoincrement,
  callback text not null,
  topic text not null,
  mode text not null check (mode in ('subscribe', 'unsubscribe')),
  secret text not null,
  lease_seconds integer not null,
  network text not null,
  asked_at integer not null,
  since integer not null,
  tries integer not null,
  next_at integer not null,
  unique (callback, topic)
);
create index hub_request_network on hub_request (network);

-- A verified subscription. Every change of its topic before `delivered_until` was delivered.
create table subscriber (
  number integer primary key autoincrement,
  callback text not null,
  topic text not null,
  secret text not null,
  network text not null,
  until integer not null,
  delivered_until integer not null,
  tries integer not null,
  next_at integer not null,
  failing_since integer not null,
  problem text not null,
  unique (callback, topic)
);
create index subscriber_network on subscriber (network);
