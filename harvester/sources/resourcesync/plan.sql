-- Every query of a walk through the lists of a source. The form is that of gateway/store/queries.py.

-- name: entry
-- Return the entry of a resource.
select text from entry where uri = ?;

-- name: entry_put
-- Store the entry of a resource, in place of an earlier one.
replace into entry values (?, ?, ?);

-- name: described_add
-- Note that metadata describe content, and which entry states it.
insert or ignore into described values (?, ?, ?);

-- name: described_remove
-- Forget that metadata describe content.
delete from described where metadata = ? and content = ? and teller = ?;

-- name: touched_add
-- Mark an item to be checked.
insert or ignore into touched values (?);

-- name: walk_lay_out
-- Store the resources to fetch or delete: those that are not content, and metadata to which listed content refers.
insert or ignore into walk
select uri from entry where role <> 1
union all select metadata from described where content in (select uri from entry where role = 1)
union all select uri from touched;

-- name: is_item
-- Return a row if a resource is an item of the walk that is not deleted.
select 1 where exists (select 1 from entry where uri = :uri and role = 0) or (
  exists (select 1 from described join entry on uri = content where metadata = :uri and role = 1)
  and not exists (select 1 from entry where uri = :uri and role = 2)
);

-- name: is_deleted
-- Return a row if the lists state that a resource is deleted.
select 1 from entry where uri = ? and role = 2;

-- name: ticked_add
-- Note that a resource was checked.
insert or ignore into ticked values (?);

-- name: unticked
-- Return the items that are not deleted and were not checked.
select uri from walk except select uri from ticked except select uri from entry where role = 2;

-- name: unattached
-- Return the deleted resources, and the content without a description.
select uri from entry where role = 2 or (role = 1 and uri not in (select content from described));

-- name: walk_count
-- Return the number of items after an address.
select count(*) from walk where uri > ?;

-- name: undescribed_count
-- Return the number of resources that are content without a description.
select count(*) from entry where role = 1 and uri not in (select content from described);

-- name: walk_page
-- Return a part of the items, by address.
select uri from walk where uri > ? order by uri limit ?;

-- name: resource
-- Return the role of a resource, and its entry.
select role, text from entry where uri = ?;

-- name: content
-- Return the entries of the content that metadata describe, by address.
select text from entry where role = 1 and uri in (select content from described where metadata = ?) order by uri;
