-- What was said of a retraction of the work that a file is, as a sentence; empty: nothing.
alter table file add column retracted text not null default '';
