-- The search for full text: one row per item that is to be searched for, and the answers that were got on the way.
-- Seconds are seconds since 1970.

-- How far the items of a source were looked through; items are numbered in the order of their making.
create table position (source text primary key, item integer not null) without rowid;

-- `state`: due, leased, waiting (for `due`), done. `lease` is the number under which it was taken last; who comes back
-- with another one has lost it. `story` is compressed JSON: what the harvester tells of the search.
create table search (
  identifier text primary key,
  source text not null,
  upstream text not null,
  state text not null check (state in ('due', 'leased', 'waiting', 'done')),
  due integer not null,
  lease integer not null default 0,
  tries integer not null default 0,
  outcome text not null default '',
  searched_at integer not null default 0,
  story blob not null default x''
) without rowid;

create index search_due on search (state, due, identifier);

-- Answers by the hash of what was asked, so that no key of ours stands here.
create table answer (
  question blob primary key,
  expires integer not null,
  content blob not null
) without rowid;

create index answer_expires on answer (expires);
