-- What ended on which day, as days since 1970. What was counted before has day 0, and so have counts of old days.
create table ending_of_day (
  source text not null,
  step text not null,
  host text not null,
  outcome text not null,
  month text not null,
  what text not null,
  day integer not null,
  count integer not null,
  primary key (source, step, host, outcome, month, what, day)
) without rowid;

insert into ending_of_day select source, step, host, outcome, month, what, 0, count from ending;

drop table ending;

alter table ending_of_day rename to ending;

-- Falls of the share of successes. `before`, `after` and `examples` are JSON; closed_at is 0 until it is over.
create table alarm (
  number integer primary key,
  source text not null,
  step text not null,
  host text not null,
  what text not null,
  opened_at integer not null,
  before text not null,
  after text not null,
  examples text not null,
  closed_at integer not null default 0,
  acknowledged_at integer not null default 0,
  acknowledged_by text not null default '',
  comment text not null default ''
);

create unique index alarm_in_force on alarm (source, step, host, what) where closed_at = 0;
