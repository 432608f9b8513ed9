-- The clock: see gateway/store/postgres/clock.py.
alter table clock
  drop column if exists wall, drop column if exists monotonic, drop column if exists boot, drop column if exists ceiling,
  add column if not exists second bigint not null, add column if not exists history text collate "C" not null;

-- How many items of a source lack the same, kept as the migration 0018_lack_tally does on SQLite.
create or replace function tally_lacks() returns trigger language plpgsql as $$ begin
  if tg_op <> 'INSERT' then
    update lack_tally set items = items - 1 where source = old.source and prefix = old.prefix and lacks = old.lacks;
  end if;
  if tg_op <> 'DELETE' then
    insert into lack_tally values (new.source, new.prefix, new.lacks, 1)
    on conflict (source, prefix, lacks) do update set items = lack_tally.items + 1;
  end if;
  return null;
end $$;
create or replace trigger lacks_tallied after insert or update or delete on lacking
for each row execute function tally_lacks();
