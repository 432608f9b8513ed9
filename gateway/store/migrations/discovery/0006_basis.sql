-- What a search went by, as a digest: when an item's record says otherwise, it is searched for again.
alter table search add column basis text not null default '';
