-- Lines of the log are only added: the triggers refuse everything else.
create or replace function refuse() returns trigger language plpgsql as
$$ begin raise exception 'Lines of the log are never changed, and never deleted.'; end $$;
create or replace trigger log_stays before delete or update on log for each row execute function refuse();
