-- Why a file that the record names is not there, and since when, as a sentence; empty: it is there.
alter table file add column missing text not null default '';
