-- What hubs of WebSub were asked for: a row for each topic of a source. Seconds are seconds since 1970.
-- `token` is the last part of the address that the hub calls, `secret` what it signs with: the file is its owner's only.
create table subscription (
  token text primary key,
  source text not null,
  topic text not null,
  hub text not null,
  secret text not null,
  state text not null check (state in ('asked', 'active', 'denied', 'ending', 'ended')),
  asked_at integer not null,
  tries integer not null,
  lease_seconds integer not null,
  until integer not null,
  notified_at integer not null,
  reason text not null,
  unique (source, topic)
) without rowid;
