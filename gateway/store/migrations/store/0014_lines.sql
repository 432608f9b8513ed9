-- The line of the log of changes that has the length and the SHA-256 of the metadata of a record. Null: it is deleted, or
-- of an earlier release. Then `resource` may have them; publications write nothing there any more.
alter table place add column line integer;
