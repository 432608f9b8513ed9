-- How the steps of all searches, and the copies that were looked at, ended: counted per source, step and host.
create table ending (
  source text not null,
  step text not null,
  host text not null,
  outcome text not null,
  count integer not null,
  primary key (source, step, host, outcome)
) without rowid;
