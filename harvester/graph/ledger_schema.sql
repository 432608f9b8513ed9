-- What an export must not write twice. The file lives as long as the export, so nothing of it need survive a crash.
pragma journal_mode = off;
pragma synchronous = off;
pragma locking_mode = exclusive;
pragma cache_size = -24000;

create table person (orcid text primary key, name text not null) without rowid;
create table publisher (id text primary key, searched_at text not null, fields text not null) without rowid;
create table subject (id text primary key, name text not null) without rowid;
create table namesake (key text not null, author text not null);
