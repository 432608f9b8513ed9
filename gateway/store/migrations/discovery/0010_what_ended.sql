-- What ended: a step or a copy. What was counted before were both together.
create table ending_of_what (
  source text not null,
  step text not null,
  host text not null,
  outcome text not null,
  month text not null,
  what text not null,
  count integer not null,
  primary key (source, step, host, outcome, month, what)
) without rowid;

insert into ending_of_what select source, step, host, outcome, month, '', count from ending;

drop table ending;

alter table ending_of_what rename to ending;
