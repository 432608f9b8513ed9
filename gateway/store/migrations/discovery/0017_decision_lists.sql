-- The list of decisions, the newest first: all, and those of one person.
create index decision_at on decision (at, number);
create index decision_by on decision (decided_by, at, number);

-- The copies that a stored file belongs to.
create index copy_sha256 on copy (sha256, identifier, url) where sha256 <> '';

-- Decisions of one person that were written at once are one entry, which has the number of the first of them. A single
-- decision has no row.
create table decision_entry (number integer primary key, entry integer not null);
create index decision_entry_entry on decision_entry (entry, number);

create trigger decision_entry_forget after delete on decision begin
  delete from decision_entry where number = old.number;
end;
