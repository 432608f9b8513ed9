-- What is known of the files of items besides what their upstreams say: `discovered` ones, which were found and accepted,
-- and what was learned of those that the upstream names. All of an item's are written together, in their order.
create table file (
  id integer primary key,
  item integer not null,
  url text not null,
  mime_type text not null,
  origin text not null check (origin in ('upstream', 'discovered')),
  found_in text not null,
  size integer,
  sha256 text not null,
  modified text not null,
  license text not null,
  version text not null,
  found_at text not null,
  is_named integer not null,
  copy_url text not null,
  content blob not null
);
create unique index file_item on file (item, url);

-- How often what is known of the files of a source's items was changed.
alter table source add column edition integer not null default 0;
