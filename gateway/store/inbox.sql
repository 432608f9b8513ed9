-- The queries of the SQLite inbox.

-- name: page_add
-- Keep a page.
insert into page (
  source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun,
  slice_count, slices, body, repaired
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id;

-- name: page
-- One page.
select source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun, slices, body, repaired
from page where id = ?;

-- name: page_headers
-- One page without its bytes.
select source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun, slices, null, null
from page where id = ?;

-- name: page_overwrite
-- Replace the slices and the bytes of a page.
update page set slices = ?, body = ?, repaired = ? where id = ?;

-- name: page_last
-- The number of the last page of all.
select coalesce(max(id), 0) from page;

-- name: page_first
-- The number of the first page of all.
select coalesce(min(id), 0) from page;

-- name: page_lost
-- A page that stands for those that are lost, so that no number is given twice.
insert into page (
  id, source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs, list_begun,
  slice_count, slices, body, repaired
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: page_next
-- The number of a source's next page that holds records.
select min(id) from page where source = ? and slice_count > 0 and id > ?;

-- name: extents
-- The numbers of a source's next pages that hold records, and how many they hold.
select id, slice_count from page where source = ? and slice_count > 0 and id > ? order by id limit ?;

-- name: answer_last
-- The number of the last page that answered a verb.
select max(id) from page where source = ? and verb = ?;

-- name: cursor
-- How far the harvest of one list has come.
select state from cursor where source = ? and metadata_prefix = ? and set_spec = ?;

-- name: cursors
-- How far the harvest of every list of a source has come.
select source, metadata_prefix, set_spec, state from cursor where source = ? order by metadata_prefix, set_spec;

-- name: cursor_put
-- Keep how far the harvest of one list has come.
insert or replace into cursor values (?, ?, ?, ?);

-- name: windows
-- The windows of all lists of a source.
select source, metadata_prefix, set_spec, state, dates, outcome from window where source = ?
order by metadata_prefix, set_spec, dates;

-- name: window_put
-- Keep how far the harvest of a window has come, and what became of it.
insert or replace into window (source, metadata_prefix, set_spec, state, dates, outcome) values (?, ?, ?, ?, ?, ?);

-- name: windows_remove
-- Forget the windows of one list.
delete from window where source = ? and metadata_prefix = ? and set_spec = ?;

-- name: harvest
-- What the harvester remembers of the harvest of a source.
select state from harvest where source = ?;

-- name: harvest_put
-- Remember something else of the harvest of a source.
insert or replace into harvest (source, state) values (?, ?);

-- name: run_add
-- Begin a run.
insert into run (source, started_at, stage, outcome, is_complete, counts, reasons)
values (?, ?, ?, 'running', 0, '{}', '[]') returning id;

-- name: run_tell
-- Write what a run has come to so far.
update run set counts = ? where id = ?;

-- name: run_end
-- Write how a run ended.
update run set ended_at = ?, outcome = ?, is_complete = ?, counts = ?, reasons = ? where id = ?;

-- name: runs
-- The last runs of one source or of all, of one stage or of all.
select id, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage from run
where (:source is null or source = :source) and (:stage is null or stage = :stage) order by id desc limit :limit;

-- name: run_totals
-- How many runs of each source and stage ended in each way, and when the last one did.
select source, stage, outcome, count(*), max(coalesce(ended_at, started_at)) from run
group by source, stage, outcome order by source, stage, outcome;

-- name: event_add
-- Add to the story of a run.
insert into event (run, at, level, text) values (?, ?, ?, ?);

-- name: events
-- A part of the story of a run.
select run, at, level, text, id from event where run = ? and id > ? order by id limit ?;

-- What the store is made of again ----------------------------------------------------------------------------------

-- name: record_sources
-- The sources of which pages hold records: one step in the index per source, however many pages there are.
with recursive found (name) as (
  select min(source) from page where slice_count > 0
  union all
  select (select min(source) from page where slice_count > 0 and source > found.name) from found where found.name is not null
)
select name from found where name is not null;

-- name: record_pages
-- How many pages of a source hold records, behind one of them.
select count(*) from page where source = ? and slice_count > 0 and id > ?;

-- name: entry_next
-- The number of the first page of a source with a verb behind a page.
select min(id) from page where source = ? and verb = ? and id > ?;

-- name: source_note
-- The note on one source.
select note from source where name = ?;

-- name: source_note_put
-- Keep a note on a source.
insert into source (name, note) values (?, ?) on conflict (name) do update set note = excluded.note;

-- name: source_notes
-- The notes on all sources, the first one that came first.
select name, note from source order by id;

-- name: announced_set_put
-- Keep a set of a source.
insert into announced_set (source, spec, name, description) values (?, ?, ?, ?)
on conflict (source, spec) do update set name = excluded.name, description = excluded.description
where name <> excluded.name or description <> excluded.description;

-- name: announced_sets
-- The sets of a source.
select spec, name, description from announced_set where source = ? order by spec;

-- name: pages_lost
-- The number of the last page that stands for lost ones.
select coalesce(max(id), 0) from page where source = '' and verb = 'lost';

-- name: identity
-- Which repository a source is.
select accepted, said, strange, is_strange_accepted from identity where source = ?;

-- name: identity_put
-- Keep which repository a source is.
insert or replace into identity values (?, ?, ?, ?, ?);

-- name: identity_forget
-- Forget which repository a source is.
delete from identity where source = ?;

-- name: source_clocks
-- What all sources said that it is o'clock.
select source, host, second, is_sure, monotonic, boot, suspended from source_clock order by source;

-- name: source_clock_put
-- Keep what a source said that it is o'clock.
insert or replace into source_clock values (?, ?, ?, ?, ?, ?, ?);

-- name: source_clock_forget
-- Forget what a source said that it is o'clock.
delete from source_clock where source = ?;
