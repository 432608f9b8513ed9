-- The queries of the inbox.

-- name: page_add
-- Store a page.
insert into page (
  id, source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun,
  slice_count, slices, body, repaired
) values ((select coalesce(max(id), 0) + 1 from page), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id;

-- name: page
-- Return one page.
select source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun, slices, body, repaired
from page where id = ?;

-- name: page_headers
-- Return one page without its bytes.
select source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun, slices, null, null
from page where id = ?;

-- name: page_overwrite
-- Replace the slices and the bytes of a page.
update page set slices = ?, body = ?, repaired = ? where id = ?;

-- name: page_last
-- Return the number of the last page of all.
select coalesce(max(id), 0) from page;

-- name: page_numbers
-- Return the numbers of all pages.
select id from page order by id;

-- name: page_first
-- Return the number of the first page of all.
select coalesce(min(id), 0) from page;

-- name: page_lost
-- Add a page in place of the lost ones, so that no number is used twice.
insert into page (
  id, source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun,
  slice_count, slices, body, repaired
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: page_next
-- Return the number of a source's next page with records.
select min(id) from page where source = ? and slice_count > 0 and id > ?;

-- name: extents
-- Return the numbers of a source's next pages with records, and their numbers of records.
select id, slice_count from page where source = ? and slice_count > 0 and id > ? order by id limit ?;

-- name: identifiers
-- Return the numbers and the slices of a source's next pages with records in a format.
select id, slices from page where source = ? and metadata_prefix = ? and slice_count > 0 and id > ? order by id limit ?;

-- name: answer_last
-- Return the number of the last page that answered a verb.
select max(id) from page where source = ? and verb = ?;

-- name: cursor
-- Return the progress of the harvest of one list.
select state from cursor where source = ? and metadata_prefix = ? and set_spec = ?;

-- name: cursors
-- Return the progress of the harvest of every list of a source.
select source, metadata_prefix, set_spec, state from cursor where source = ? order by metadata_prefix, set_spec;

-- name: cursor_put
-- Store the progress of the harvest of one list.
insert into cursor values (?, ?, ?, ?)
on conflict (source, metadata_prefix, set_spec) do update set state = excluded.state;

-- name: windows
-- Return the windows of all lists of a source.
select source, metadata_prefix, set_spec, state, dates, outcome from window where source = ?
order by metadata_prefix, set_spec, dates;

-- name: window_counts
-- Return how many windows of each source have which outcome.
select source, outcome, count(*) from window group by source, outcome;

-- name: window_put
-- Store the progress of the harvest of a window, and its result.
insert into window (source, metadata_prefix, set_spec, state, dates, outcome) values (?, ?, ?, ?, ?, ?)
on conflict (source, metadata_prefix, set_spec, dates) do update set state = excluded.state, outcome = excluded.outcome;

-- name: windows_remove
-- Forget the windows of one list.
delete from window where source = ? and metadata_prefix = ? and set_spec = ?;

-- name: harvest
-- Return the remembered facts of the harvest of a source.
select state from harvest where source = ?;

-- name: harvest_put
-- Store other facts of the harvest of a source.
insert into harvest (source, state) values (?, ?)
on conflict (source) do update set state = excluded.state;

-- name: run_add
-- Begin a run.
insert into run (source, started_at, stage, outcome, is_complete, counts, reasons)
values (?, ?, ?, 'running', 0, '{}', '[]') returning id;

-- name: run_progress_put
-- Store the counts of a run so far.
update run set counts = ? where id = ?;

-- name: run_end
-- Store the end of a run.
update run set ended_at = ?, outcome = ?, is_complete = ?, counts = ?, reasons = ? where id = ?;

-- name: runs
-- Return the last runs.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run
order by id desc limit :limit;

-- name: runs_of_stage
-- Return the last runs of one stage of all sources.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run
where stage = :stage order by id desc limit :limit;

-- name: runs_of_source
-- Return the last runs of one source.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run
where source = :source order by id desc limit :limit;

-- name: runs_of_source_stage
-- Return the last runs of one stage of one source.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run
where source = :source and stage = :stage order by id desc limit :limit;

-- name: runs_last
-- Return the last run of each stage of a source, or of each source: steps in the index, however many runs there are.
with recursive named (source) as (
  select case :source when '' then (select min(source) from run) else :source end
  union all
  select (select min(source) from run where source > named.source) from named
  where named.source is not null and :source = ''
), staged (source, stage) as (
  select source, (select min(stage) from run where run.source = named.source) from named where source is not null
  union all
  select source, (select min(stage) from run where run.source = staged.source and run.stage > staged.stage)
  from staged where stage is not null
)
select run.id, run.source, started_at, ended_at, outcome, is_complete, counts, reasons, run.stage
from staged cross join run on run.id = (
  select max(id) from run as last where last.source = staged.source and last.stage = staged.stage
)
where staged.stage is not null;

-- name: harvests_complete
-- Return how many sources have a complete last harvest, without some of them (a JSON list), and the last harvest of all.
with recursive named (source) as (
  select min(source) from run
  union all
  select (select min(source) from run where source > named.source) from named where named.source is not null
), harvest (number) as (
  select (select max(id) from run where run.source = named.source and stage = 'harvest') from named
  where source is not null and source not in (select cast(value as text) from json_each(:without))
)
select count(case when is_complete = 1 and outcome = 'succeeded' then 1 end), max(id)
from harvest cross join run on run.id = harvest.number;

-- name: run
-- Return one run.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run where id = ?;

-- name: run_totals
-- Return the number of runs of each source and stage by outcome, and the end of the last one.
select source, stage, outcome, count(*), max(coalesce(ended_at, started_at)) from run
group by source, stage, outcome order by source, stage, outcome;

-- name: event_add
-- Add an event to the log of a run.
insert into event (run, at, level, text) values (?, ?, ?, ?);

-- name: events
-- Return a part of the log of a run.
select run, at, level, text, id from event where run = ? and id > ? order by id limit ?;

-- Rebuilding the store ---------------------------------------------------------------------------------------------

-- name: record_sources
-- Return the sources with pages that have records, or one of them, and the last such page: two steps in the index for each.
with recursive found (name) as (
  select case :source when '' then (select min(source) from page where slice_count > 0) else :source end
  union all
  select (select min(source) from page where slice_count > 0 and source > found.name) from found
  where found.name is not null and :source = ''
)
select name, last from (
  select name, (select max(id) from page where source = found.name and slice_count > 0) as last from found
) as latest where last is not null;

-- name: record_pages
-- Return how many pages of a source have records, after one of them.
select count(*) from page where source = ? and slice_count > 0 and id > ?;

-- name: entry_next
-- Return the number of the first page of a source with a verb, after a page.
select min(id) from page where source = ? and verb = ? and id > ?;

-- name: source_note
-- Return the note on one source.
select note from source where name = ?;

-- name: source_note_put
-- Store a note on a source.
insert into source (name, note) values (?, ?) on conflict (name) do update set note = excluded.note;

-- name: source_notes
-- Return the notes on all sources, in the order in which they came.
select name, note from source order by id;

-- name: announced_set_put
-- Store a set of a source.
insert into announced_set (source, spec, name, description) values (?, ?, ?, ?)
on conflict (source, spec) do update set name = excluded.name, description = excluded.description
where announced_set.name <> excluded.name or announced_set.description <> excluded.description;

-- name: announced_sets
-- Return the sets of a source.
select spec, name, description from announced_set where source = ? order by spec;

-- name: pages_lost
-- Return the number of the last page that replaces lost ones.
select coalesce(max(id), 0) from page where source = '' and verb = 'lost';

-- name: identity
-- Return the identity of the repository of a source.
select accepted, said, strange, is_strange_accepted from identity where source = ?;

-- name: identities_differing
-- Return the identities that differ from the accepted ones, or seem to be those of another repository.
select accepted, said, strange, is_strange_accepted, source from identity
where (accepted <> said or strange <> '') and source > '' order by source;

-- name: identity_put
-- Store the identity of the repository of a source.
insert into identity values (?, ?, ?, ?, ?)
on conflict (source) do update set accepted = excluded.accepted, said = excluded.said, strange = excluded.strange, is_strange_accepted = excluded.is_strange_accepted;

-- name: identity_forget
-- Forget the identity of the repository of a source.
delete from identity where source = ?;

-- name: source_clocks
-- Return the clock of each source, as it was announced.
select source, host, second, is_sure, monotonic, boot, suspended from source_clock order by source;

-- name: source_clock_put
-- Store the announced clock of a source.
insert into source_clock values (?, ?, ?, ?, ?, ?, ?)
on conflict (source) do update set host = excluded.host, second = excluded.second, is_sure = excluded.is_sure, monotonic = excluded.monotonic, boot = excluded.boot, suspended = excluded.suspended;

-- name: source_clock_forget
-- Forget the announced clock of a source.
delete from source_clock where source = ?;
