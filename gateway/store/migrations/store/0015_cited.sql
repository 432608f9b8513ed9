-- The DOI of the work of an item, as a URI; items of an earlier release have none until they are published again.
create table cited (item integer primary key, uri text not null);
