-- The people who may sign in. `key` is the name as names are compared, `password` a hash of Argon2id.
-- A session is valid if its generation is that of its user. Numbers are never used again.
create table user (
  number integer primary key autoincrement,
  name text not null,
  key text not null unique,
  role text not null check (role in ('reviewer', 'manager', 'administrator')),
  sources text not null,
  password text not null,
  generation integer not null,
  added_at integer not null,
  signed_in_at integer not null
);

-- `token` is the SHA-256 of what the browser sends, so a copy of this file signs nobody in.
create table session (
  token text primary key,
  user integer not null,
  generation integer not null,
  begun_at integer not null,
  used_at integer not null
) without rowid;
create index session_user on session (user);

-- Failures to sign in: of a name, or of a network. `key` is a keyed hash, because people type passwords as names.
create table failure (
  key text primary key,
  count integer not null,
  failed_at integer not null,
  free_at integer not null
) without rowid;
create index failure_failed on failure (failed_at);

-- The networks from which a user has signed in: there, failures of others do not slow the user down.
create table known_network (
  user integer not null,
  network text not null,
  at integer not null,
  primary key (user, network)
) without rowid;

-- What people did. Lines are only added: the triggers refuse everything else.
create table log (
  number integer primary key autoincrement,
  at integer not null,
  by text not null,
  deed text not null,
  about text not null,
  network text not null
);
create index log_deed on log (deed, at);
create trigger log_stays before delete on log begin
  select raise(abort, 'Lines of the log are never deleted.');
end;
create trigger log_is_fixed before update on log begin
  select raise(abort, 'Lines of the log are never changed.');
end;
create trigger log_is_not_replaced before insert on log
when exists (select 1 from log where number = new.number) begin
  select raise(abort, 'Lines of the log are never replaced.');
end;
