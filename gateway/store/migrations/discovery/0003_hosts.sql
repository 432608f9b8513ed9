-- Which hosts are left alone because they blocked us, and until which second: for all processes.
create table host (name text primary key, away_until integer not null) without rowid;

-- Answers are kept with the verdict of robots.txt from now on; those that were kept before do not have it.
delete from answer;
