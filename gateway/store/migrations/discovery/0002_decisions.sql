-- What was decided of each copy, by a rule or a person: nothing is ever overwritten, the last word on a copy counts.
-- `verdict`: accept, reject, review. `sha256` says of which bytes it was said.
create table decision (
  number integer primary key,
  identifier text not null,
  url text not null,
  sha256 text not null,
  verdict text not null check (verdict in ('accept', 'reject', 'review')),
  reason text not null,
  decided_by text not null,
  at integer not null
);

create index decision_item on decision (identifier, url, number);
