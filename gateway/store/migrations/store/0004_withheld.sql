-- Items of which something is taken down: what the list of takedowns no longer names is made again from here.
create table withheld (item integer primary key);
create index file_digest on file (sha256);
