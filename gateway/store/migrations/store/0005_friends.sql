-- Which sources Identify names as friends; one that needs credentials is none, unless its entry says so.

alter table source add column is_friend integer not null default 1;
