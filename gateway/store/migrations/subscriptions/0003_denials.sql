-- Subscriptions at our hub that were ended here: the harvester informs the subscriber once.
create table hub_denial (
  number integer primary key autoincrement,
  callback text not null,
  topic text not null,
  reason text not null
);
