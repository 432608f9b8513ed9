-- Every query of a walk through the lists of a source. The form is that of gateway/store/queries.py.

-- name: entry
-- The entry of a resource.
select text from entry where uri = ?;

-- name: entry_put
-- Take the entry of a resource in place of the one before.
replace into entry values (?, ?, ?);

-- name: described_add
-- Note that metadata describe content, and who says so.
insert or ignore into described values (?, ?, ?);

-- name: described_remove
-- Forget that metadata describe content.
delete from described where metadata = ? and content = ? and teller = ?;

-- name: touched_add
-- Let an item be looked at.
insert or ignore into touched values (?);

-- name: walk_lay_out
-- What is fetched or deleted: resources that are no content, and metadata that content in the lists refers to.
insert or ignore into walk
select uri from entry where role <> 1
union all select metadata from described where content in (select uri from entry where role = 1)
union all select uri from touched;

-- name: is_item
-- A row where a resource is an item of the walk that is not deleted.
select 1 where exists (select 1 from entry where uri = :uri and role = 0) or (
  exists (select 1 from described join entry on uri = content where metadata = :uri and role = 1)
  and not exists (select 1 from entry where uri = :uri and role = 2)
);

-- name: is_deleted
-- A row where the lists say that a resource is deleted.
select 1 from entry where uri = ? and role = 2;

-- name: ticked_add
-- Note that a resource has been looked at.
insert or ignore into ticked values (?);

-- name: unticked
-- The items that are not deleted and were not looked at.
select uri from walk except select uri from ticked except select uri from entry where role = 2;

-- name: strangers
-- The resources that are deleted, and content that nothing describes.
select uri from entry where role = 2 or (role = 1 and uri not in (select content from described));

-- name: walk_count
-- How many items there are behind an address.
select count(*) from walk where uri > ?;

-- name: undescribed_count
-- How many resources are content that nothing describes.
select count(*) from entry where role = 1 and uri not in (select content from described);

-- name: walk_page
-- A part of the items, by address.
select uri from walk where uri > ? order by uri limit ?;

-- name: resource
-- What a resource is for us, and its entry.
select role, text from entry where uri = ?;

-- name: content
-- The entries of the content that metadata describe, by address.
select text from entry where role = 1 and uri in (select content from described where metadata = ?) order by uri;
