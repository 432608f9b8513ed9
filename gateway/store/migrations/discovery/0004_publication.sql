-- What of an item is published: `changed` counts what may have changed its files, searches that ended and decisions;
-- `published` is how far that was published.
alter table search add column changed integer not null default 0;
alter table search add column published integer not null default 0;
create index search_unpublished on search (identifier) where changed > published;

update search set changed = 1 where identifier in (select identifier from decision);
