-- The random samples of the files that rules have accepted, one for each rule and month (`2026-11`), in their order.
create table sampled (
  rule text not null,
  month text not null,
  place integer not null,
  identifier text not null,
  url text not null,
  sha256 text not null,
  primary key (rule, month, place)
) without rowid;

create index sampled_item on sampled (identifier);

-- The second in which each sample was drawn.
create table sample_drawn (
  rule text not null,
  month text not null,
  drawn_at integer not null,
  primary key (rule, month)
) without rowid;

-- What people say of sampled files: one judgement of each person on the same bytes.
create table judgement (
  rule text not null,
  identifier text not null,
  url text not null,
  sha256 text not null,
  judged text not null check (judged in ('right', 'wrong', 'unsure')),
  judged_by text not null,
  at integer not null,
  primary key (identifier, url, sha256, judged_by)
) without rowid;
