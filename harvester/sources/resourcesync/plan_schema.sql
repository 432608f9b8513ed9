-- The tables of one walk; everything that follows is one transaction.
pragma journal_mode = off;
pragma cache_size = -16000; -- kibibytes
create table entry (uri text primary key, role integer not null, text text not null) without rowid;
create table described ( -- teller: the role of the resource whose entry states it; 2: the stored records state it
  metadata text not null, content text not null, teller integer not null, primary key (metadata, content, teller)
) without rowid;
create table touched (uri text primary key) without rowid;
create table walk (uri text primary key) without rowid;
create table ticked (uri text primary key) without rowid;
begin;
