-- The table of the short answers of a mirror's servers.
create table if not exists answer (
  host text, sha512 text, url text, identifier text, primary key (host, sha512, url)
) without rowid;
