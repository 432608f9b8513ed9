-- What the record of an item lacks (a sum of flags of `Lack`), and the format of the payload from which it was made. Items
-- that lack nothing have no row; `gateway rebuild` adds those of an earlier release.
create table lacking (item integer primary key, source integer not null, prefix integer not null, lacks integer not null);
create index lacking_of on lacking (source, prefix, lacks, item);
