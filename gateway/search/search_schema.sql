-- The search index. The version is set last: a file that was not finished has none.
pragma journal_mode = wal;
begin immediate;

-- One row: the state. `position` and `mark` are the last line of the store's log of changes that is in the index.
create table state (
  id integer primary key check (id = 1),
  position integer not null,
  mark text not null,
  reached integer not null,
  stale integer not null
);
insert into state values (1, 0, '', 0, 0);

-- The values of facets as numbers: kind is source, set, type, file or year (empty: it is not stated).
create table value (
  id integer primary key,
  kind text not null,
  text text not null,
  unique (kind, text)
);

-- The values that an item has, as a JSON list of numbers; many items have the same.
create table combination (
  id integer primary key,
  value_list text not null unique
);

-- The living items. A number is never used again: a new version of an item gets a new one, and the words of the former
-- one become stale. `name` is a digest of the identifier: its index is a fifth of one over the texts. `year` is null if
-- it is not stated.
create table item (
  id integer primary key autoincrement,
  name integer not null,
  identifier text not null,
  combination integer not null,
  year integer,
  has_file integer not null,
  title_words integer not null,
  digest integer not null
);
create index item_name on item (name);

-- How many items of each year there are, and how many of them have a file; the year 0: it is not stated.
create table year_count (
  year integer primary key,
  items integer not null,
  with_file integer not null
);
create trigger item_added after insert on item begin
  insert into year_count values (ifnull(new.year, 0), 1, new.has_file)
  on conflict do update set items = items + 1, with_file = with_file + new.has_file;
end;
create trigger item_removed after delete on item begin
  update year_count set items = items - 1, with_file = with_file - old.has_file where year = ifnull(old.year, 0);
end;

-- `word` has no copy of the text. Words have only letters and digits; names and values begin with an underscore.
create virtual table word using fts5 (
  title,
  other,
  content = '',
  columnsize = 0,
  detail = column,
  tokenize = "ascii tokenchars '_'"
);

pragma user_version = 3;
commit;
