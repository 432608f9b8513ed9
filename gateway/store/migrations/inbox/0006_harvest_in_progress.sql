-- Of which list a page is a part: the number of the last page before that list began; null: of none.
alter table page add column list_begun integer;

-- What the harvester must remember of the harvest of a source that is in progress, in JSON.
create table harvest (
  source text primary key,
  state text not null
) without rowid;
