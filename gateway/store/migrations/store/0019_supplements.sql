-- Whether a file accompanies the work, and is not its full text.
alter table file add column is_supplement integer not null default 0;
alter table content add column is_supplement integer not null default 0;
