-- Whether a decision takes the one before it back: going back twice goes two steps back.
alter table decision add column is_undoing integer not null default 0;
