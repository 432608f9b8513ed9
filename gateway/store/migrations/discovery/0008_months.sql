-- The month (2026-11) in which a step or a copy ended. What was counted before has none.
create table ending_by_month (
  source text not null,
  step text not null,
  host text not null,
  outcome text not null,
  month text not null,
  count integer not null,
  primary key (source, step, host, outcome, month)
) without rowid;

insert into ending_by_month select source, step, host, outcome, '', count from ending;

drop table ending;

alter table ending_by_month rename to ending;
