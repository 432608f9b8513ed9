-- How many items of a source lack the same, by format: pages and `status` ask for it, and there may be a million.
create table lack_tally (
  source integer not null,
  prefix integer not null,
  lacks integer not null,
  items integer not null,
  primary key (source, prefix, lacks)
) without rowid;
insert into lack_tally select source, prefix, lacks, count(*) from lacking group by source, prefix, lacks;
create trigger lacking_added after insert on lacking begin
  insert into lack_tally values (new.source, new.prefix, new.lacks, 1) on conflict do update set items = items + 1;
end;
create trigger lacking_removed after delete on lacking begin
  update lack_tally set items = items - 1 where source = old.source and prefix = old.prefix and lacks = old.lacks;
end;
create trigger lacking_changed after update on lacking begin
  update lack_tally set items = items - 1 where source = old.source and prefix = old.prefix and lacks = old.lacks;
  insert into lack_tally values (new.source, new.prefix, new.lacks, 1) on conflict do update set items = items + 1;
end;
