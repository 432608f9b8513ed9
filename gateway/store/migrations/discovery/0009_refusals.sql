-- The DOIs of which a person has said that they are not those of an item: none of them is matched with it again.
create table refusal (
  identifier text not null,
  doi text not null,
  reason text not null,
  decided_by text not null,
  at integer not null,
  primary key (identifier, doi)
) without rowid;
