-- How many deliveries of our hub ended how, since this file was made or upgraded.
create table hub_total (
  outcome text primary key,
  count integer not null
) without rowid;
