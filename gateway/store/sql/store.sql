-- The queries of the store. `:names` where a query runs once, `?` where it runs for many rows.

-- The store itself -------------------------------------------------------------------------------------------------

-- name: fact
-- Return one remembered fact.
select value from fact where name = ?;

-- name: remember
-- Remember a fact.
insert into fact values (?, ?) on conflict (name) do update set value = excluded.value;

-- name: fact_make
-- Remember a fact, unless it is known.
insert into fact values (?, ?) on conflict do nothing;

-- name: clock_make
-- Store the first anchor.
insert into clock values (1, ?, ?, ?, ?) on conflict do nothing;

-- name: clock
-- Return the anchor of the store's clock, and the second in which the first open intent expires.
select wall, monotonic, boot, ceiling, (select min(expires) from intent) from clock;

-- name: clock_set
-- Store another anchor.
insert into clock values (1, ?, ?, ?, ?) on conflict (id) do update
set wall = excluded.wall, monotonic = excluded.monotonic, boot = excluded.boot, ceiling = excluded.ceiling;

-- name: intent_add
-- Open an intent: no horizon passes its watermark until it is removed.
insert into intent (watermark, expires) values (?, ?) returning id;

-- name: intent_remove
-- Remove an intent.
delete from intent where id = ?;

-- name: intents_expire
-- Remove the intents that have expired.
delete from intent where expires <= ?;

-- name: watermark
-- Return the lowest watermark of all open intents.
select min(watermark) from intent;

-- Reading ----------------------------------------------------------------------------------------------------------

-- name: prefix
-- Return the number of a metadata format's name.
select id from prefix where name = ?;

-- name: collection
-- Return the number of a set.
select id from collection where spec = ?;

-- name: block_at
-- Return the last block of a format that begins with a key or before it.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, null, null from block
where prefix = :prefix and (datestamp, number) <= (:datestamp, :number) order by datestamp desc, number desc limit 1;

-- name: blocks_after
-- Return blocks of a format that begin after a key.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, null, null from block
where prefix = :prefix and (datestamp, number) > (:datestamp, :number) and datestamp <= :until
order by datestamp, number limit :limit;

-- name: block_of_set_at
-- Return the last block that begins with a key or before it, and has records of a set, with their bits.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, bits, departed
from member cross join block using (prefix, datestamp, number)
where member.collection = :collection and member.prefix = :prefix
  and (member.datestamp, member.number) <= (:datestamp, :number)
order by member.datestamp desc, member.number desc limit 1;

-- name: blocks_of_set_after
-- Return the blocks after a key that have records of a set, with their bits.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, bits, departed
from member cross join block using (prefix, datestamp, number)
where member.collection = :collection and member.prefix = :prefix
  and (member.datestamp, member.number) > (:datestamp, :number) and member.datestamp <= :until
order by member.datestamp, member.number limit :limit;

-- name: body_records
-- Return the compressed records of some blocks.
select id, records, length, crc, adler from body where id in (select value from json_each(?));

-- name: body_lengths
-- Return the lengths of the records of some blocks, in bytes.
select id, length from body where id in (select value from json_each(?));

-- name: body_header_lengths
-- Return the lengths of the headers of some blocks, in bytes.
select id, header_length from body where id in (select value from json_each(?));

-- name: body_texts
-- Return the compressed records of a block, and their lengths.
select records, length, crc, adler, lengths from body where id = ?;

-- name: body_headers
-- Return the compressed headers of some blocks.
select id, headers, header_length, header_crc, header_adler from body where id in (select value from json_each(?));

-- name: body
-- Return all of a block.
select records, length, crc, adler, headers, header_length, header_crc, header_adler, lengths, items
from body where id = ?;

-- name: body_items
-- Return the numbers of the items of a block.
select items from body where id = ?;

-- name: tally
-- Return the number of records in a row of days, hours or seconds.
select coalesce(sum(records + cast(:departed as bigint) * departed), 0) from tally
where collection = :collection and prefix = :prefix and span = :span and start between :first and :last;

-- name: item_exposed
-- Return whether an item has any record: an item that was taken down before it was published has none.
select 1 from place where item = ? limit 1;

-- name: item
-- Return the number of the item with a local identifier.
select id from item where identifier = :identifier
union all
select item.id from source cross join item
  on item.source = source.id and item.upstream = substr(:identifier, length(source.stem) + 1)
where source.stem = substr(:identifier, 1, instr(:identifier, '/')) and item.identifier is null
limit 1;

-- name: place
-- Return where the record of an item is, and the facts about it.
select datestamp, number, digest, is_deleted from place where item = :item and prefix = :prefix;

-- name: places
-- Return where the records of many items are (a JSON list of identifiers), by key, with their positions in the list.
select place.datestamp, place.number, place.digest, place.is_deleted, wanted.key
from json_each(:identifiers) as wanted cross join place on place.prefix = :prefix and place.item = (
  select id from item where identifier = cast(wanted.value as text)
  union all
  select item.id from source cross join item
    on item.source = source.id and item.upstream = substr(wanted.value, length(source.stem) + 1)
  where source.stem = substr(wanted.value, 1, instr(wanted.value, '/')) and item.identifier is null
  limit 1
)
order by place.datestamp, place.number;

-- name: formats
-- Return all exposed formats.
select prefix.name, schema, namespace, version, source, upstream_prefix from format join prefix on prefix.id = format.prefix
order by prefix.name;

-- name: formats_of_item
-- Return the formats in which an item has a record that is not deleted.
select prefix.name, schema, namespace, version, source, upstream_prefix
from place join format on format.prefix = place.prefix join prefix on prefix.id = format.prefix
where place.item = ? and not place.is_deleted order by prefix.name;

-- name: collection_named
-- Return the name and the description of a set.
select spec, name, description from collection where spec = ?;

-- name: collections
-- Return sets in the order of their specs.
select spec, name, description from collection where spec > ? order by spec limit ?;

-- name: collections_of
-- Return a set and all sets below it.
select spec, name, description from collection where spec = :spec
union all
select spec, name, description from collection where spec > :spec || ':' and spec < :spec || ';'
order by spec;

-- name: earliest
-- Return the first datestamp of all.
select min((select min(datestamp) from block where block.prefix = prefix.id)) from prefix;

-- name: tallies
-- Return how many records a list has in each day, hour or second from `first` to `last`, without empty ones.
select start, records from tally
where collection = :collection and prefix = :prefix and span = :span and start between :first and :last and records > 0
order by start;

-- name: entries
-- Return those of some items (a JSON list) whose records of one format live; `held`: with a file that we found or hold.
select coalesce(item.identifier, source.stem || item.upstream), place.datestamp
from json_each(:items) as wanted cross join place on place.item = wanted.value and place.prefix = :prefix
  cross join item on item.id = place.item cross join source on source.id = item.source
where not place.is_deleted and (cast(:held as bigint) = 0 or exists (
  select * from file where file.item = item.id and (origin = 'discovered' or copy_url <> '' or length(content) > 0)
    and is_supplement = 0
))
order by wanted.key;

-- name: items_of_any_source
-- Return the items of all sources with this upstream identifier.
select coalesce(item.identifier, source.stem || item.upstream)
from source cross join item on item.source = source.id and item.upstream = :upstream limit :limit;

-- name: items_with_copy
-- Return the living items that have a file with this SHA-256.
select coalesce(item.identifier, source.stem || item.upstream)
from file cross join item on item.id = file.item cross join source on source.id = item.source
where sha256 = :sha256 and not item.is_deleted order by item.id limit :limit;

-- name: sources
-- Return all sources.
select name, base_url, kind, is_removed, is_friend from source order by name;

-- name: source_named
-- Return one source.
select name, base_url, kind, is_removed, is_friend from source where name = ?;

-- name: sources_listed
-- Return sources after a name, with how many items each has, how many of them are deleted, and how many have full text.
select name, base_url, kind, is_removed, is_friend, items, deleted, fulltext from source
where name > ? order by name limit ?;

-- name: source_counts
-- Return how many items a source has, how many of them are deleted, and how many have full text.
select items, deleted, fulltext from source where name = ?;

-- name: sources_before
-- Return the names of the sources up to a name, the last one first.
select name from source where name <= ? order by name desc limit ?;

-- name: sources_biggest
-- Return the sources with the most living items that were not removed, in the same form.
select name, base_url, kind, is_removed, is_friend, items, deleted, fulltext from source
where is_removed = 0 and deleted - items <= 0 order by deleted - items, name limit ?;

-- name: sources_removed
-- Return the names of the sources that were removed.
select name from source where is_removed = 1 and name > '';

-- name: source_totals
-- Return how many sources were not removed, how many living items they have, and how many of these have full text.
select count(*), coalesce(sum(items - deleted), 0), coalesce(sum(fulltext), 0) from source where is_removed = 0;

-- name: friends
-- Return the addresses of OAI-PMH sources that Identify may name.
select base_url from source where kind = 'oai_pmh' and is_friend = 1 and is_removed = 0 and name > '' order by name limit ?;

-- name: item_merged
-- Return items of a source whose upstream identifiers differ from `upstream` at most in the lengths of rows of slashes.
select coalesce(item.identifier, source.stem || item.upstream)
from source cross join item on item.source = source.id
where source.name = :source and instr('/' || upstream, '//')
  and replace(replace(replace('/' || upstream, '/', char(1) || char(2)), char(2) || char(1), ''), char(1) || char(2), '/')
    = replace(replace(replace('/' || :upstream, '/', char(1) || char(2)), char(2) || char(1), ''), char(1) || char(2), '/')
limit :limit;

-- name: item_before
-- Return the living item of the same source before an item, among the next hundred.
select coalesce(near.identifier, source.stem || near.upstream)
from (
  select other.* from item as own cross join item as other on other.source = own.source and other.upstream < own.upstream
  where own.id = ? order by other.upstream desc limit 100
) as near join source on source.id = near.source
where not near.is_deleted limit 1;

-- name: item_after
-- Return the living item of the same source after an item, among the next hundred.
select coalesce(near.identifier, source.stem || near.upstream)
from (
  select other.* from item as own cross join item as other on other.source = own.source and other.upstream > own.upstream
  where own.id = ? order by other.upstream limit 100
) as near join source on source.id = near.source
where not near.is_deleted limit 1;

-- name: changes
-- Return a part of the log of changes.
select change.id, coalesce(item.identifier, source.stem || item.upstream), prefix.name, change.datestamp, change.kind
from change join item on item.id = change.item join source on source.id = item.source
  join prefix on prefix.id = change.prefix
where change.id > ? order by change.id limit ?;

-- name: resources
-- Return a part of the living records of one format by item, with length and SHA-256 of their metadata if they are known.
select item.id, coalesce(item.identifier, source.stem || item.upstream), place.datestamp,
  coalesce(change.length, resource.length, 0), coalesce(change.sha256, resource.sha256, x'')
from item cross join place on place.item = item.id and place.prefix = :prefix and not place.is_deleted
  cross join source on source.id = item.source
  left join change on change.id = place.line
  left join resource on place.line is null and resource.id = item.id * 1048576 + :prefix
where item.id > :after and item.id <= :until
order by item.id limit :limit;

-- name: resources_of_set
-- Return the same of the records in one set.
with inside (sets) as (
  select sets from combination where exists (select * from json_each(sets) as place where place.value = :collection)
)
select item.id, coalesce(item.identifier, source.stem || item.upstream), place.datestamp,
  coalesce(change.length, resource.length, 0), coalesce(change.sha256, resource.sha256, x'')
from item cross join place on place.item = item.id and place.prefix = :prefix and not place.is_deleted
  cross join source on source.id = item.source
  left join change on change.id = place.line
  left join resource on place.line is null and resource.id = item.id * 1048576 + :prefix
where item.id > :after and item.id <= :until and item.sets in (select * from inside)
order by item.id limit :limit;

-- name: resource_ranges
-- Return which ranges of so many items have records of one format in a set that are not deleted.
with inside (sets) as (
  select sets from combination where exists (select * from json_each(sets) as place where place.value = :collection)
)
select distinct (item.id - 1) / :width as number
from item cross join place on place.item = item.id and place.prefix = :prefix and not place.is_deleted
where :collection = 0 or item.sets in (select * from inside)
order by number;

-- name: contents
-- Return the files to which the DIDLs of some items refer.
select item, url, mime_type, size, sha256, modified, copy_url, is_supplement from content
where item > :after and item <= :until order by item, place;

-- name: listed_file_counts
-- Return how many files there are first in the items of each range of numbers.
select (item - 1) / :width as number, count(*) from (select min(item) as item from content group by url) as earliest
group by number order by number;

-- name: listed_files
-- Return the addresses of files that are first in some items, with all that is known of them in all items.
with first (url, item, place) as (
  select url, item, min(place) from content
  where item > :after and item <= :until
    and item = (select min(earlier.item) from content as earlier where earlier.url = content.url)
  group by url, item
  order by item, min(place) limit :limit offset :offset
)
select content.item, content.url, content.mime_type, content.size, content.sha256, content.modified, content.copy_url,
  content.is_supplement
from first cross join content on content.url = first.url order by first.item, first.place, content.item, content.place;

-- name: identifiers_of
-- Return the identifiers of items by their numbers (a JSON list).
select item.id, coalesce(item.identifier, source.stem || item.upstream)
from json_each(?) as wanted cross join item on item.id = wanted.value cross join source on source.id = item.source;

-- name: resource_changes
-- Return a part of the changes of a list, by datestamp and line; of items taken down only the served version is not empty.
with inside (combination) as (
  select id from combination where exists (select * from json_each(sets) as place where place.value = :collection)
)
select change.id, coalesce(item.identifier, source.stem || item.upstream), change.datestamp,
  case when :collection = 0 or change.sets in (select * from inside) then change.kind else 2 end,
  withheld.item is not null and (item.is_deleted or not exists (
    select * from place left join change as served on served.id = place.line
    where place.item = change.item and place.prefix = change.prefix
      and (place.datestamp = change.datestamp or served.sha256 = change.sha256)
  )),
  change.length, change.sha256, change.item
from logged cross join change on change.id between logged.first and logged.last
  cross join item on item.id = change.item cross join source on source.id = item.source
  left join withheld on withheld.item = change.item
where logged.prefix = :prefix and logged.datestamp between :first and :last
  and (logged.datestamp > :datestamp or change.id > :number)
  and (:collection = 0 or change.sets in (select * from inside) or change.departed in (select * from inside))
order by logged.datestamp, logged.first, change.id limit :limit;

-- name: withheld_versions
-- Return the items of which something is taken down, with the datestamp of the version that is served; 0: none.
select withheld.item, coalesce(case when item.is_deleted then 0 else place.datestamp end, 0)
from withheld cross join item on item.id = withheld.item
  left join place on place.item = item.id and place.prefix = :prefix
order by withheld.item;

-- name: changed_ranges
-- Return which ranges of so many items have lines in the log of changes after a line.
select distinct (item - 1) / :width from change where id > :after;

-- name: change_days
-- Return how many changes a format has in each day that has some.
select datestamp / 86400 * 86400 as day, sum(last - first + 1) from logged
where prefix = :prefix and datestamp between :first and :last group by day order by day;

-- name: change_days_of_set
-- Return the same of one set.
with inside (combination) as (
  select id from combination where exists (select * from json_each(sets) as place where place.value = :collection)
)
select logged.datestamp / 86400 * 86400 as day, count(*)
from logged cross join change on change.id between logged.first and logged.last
where logged.prefix = :prefix and logged.datestamp between :first and :last
  and (change.sets in (select * from inside) or change.departed in (select * from inside))
group by day order by day;

-- name: change_key
-- Return the key of a change of a list by its place.
with inside (combination) as (
  select id from combination where exists (select * from json_each(sets) as place where place.value = :collection)
)
select logged.datestamp, change.id
from logged cross join change on change.id between logged.first and logged.last
where logged.prefix = :prefix and logged.datestamp between :first and :last
  and (:collection = 0 or change.sets in (select * from inside) or change.departed in (select * from inside))
order by logged.datestamp, logged.first, change.id limit 1 offset :place;

-- name: change_latest
-- Return the datestamp of the last change of a format up to a second.
select max(datestamp) from logged where prefix = :prefix and datestamp <= :last;

-- name: unfilled
-- Return the living records of some items that lack the length and the SHA-256 of their metadata.
select prefix.name, place.prefix, place.item, place.datestamp, place.number
from item cross join place on place.item = item.id cross join prefix on prefix.id = place.prefix
where item.id > :after and item.id <= :until and not place.is_deleted and place.line is null
  and not exists (select * from resource where resource.id = place.item * 1048576 + place.prefix)
order by place.prefix, place.datestamp, place.number;

-- name: check_credentials
-- Return the identifiers of living items with a file whose address may have a user and a password, and these addresses.
select coalesce(item.identifier, source.stem || item.upstream), named.url
from (select item, url from file union select item, url from content) as named cross join item on item.id = named.item
  cross join source on source.id = item.source
where named.url like '%://%:%@%' and not item.is_deleted order by item.id;

-- name: change_last_of_store
-- Return the number of the last line of the log of changes, and what identifies this store.
select coalesce(max(id), 0), coalesce((select value from fact where name = 'made_at'), ''),
  coalesce((select value from fact where name = 'epoch'), '') from change;

-- name: change_last
-- Return the number of the last line of the log of changes.
select coalesce(max(id), 0) from change;

-- Stored items -------------------------------------------------------------------------------------------------------

-- name: items_of_upstream
-- Return the items of one source with these upstream identifiers (a JSON list).
select item.id, item.upstream, coalesce(item.identifier, source.stem || item.upstream), item.is_deleted
from json_each(:upstreams) as wanted cross join source cross join item
  on item.source = source.id and item.upstream = cast(wanted.value as text)
where source.name = :source;

-- name: items
-- Return a part of the items of all sources or of one, with the names of their sources, by number (without a sort).
select item.id, item.upstream, coalesce(item.identifier, source.stem || item.upstream), item.is_deleted, source.name
from item cross join source on source.id = item.source
where item.id > :after and (cast(:source as text) is null or source.name = :source) order by item.id limit :limit;

-- name: living
-- Return a part of the upstream identifiers of the living items of a source that have a living payload in a format.
select upstream from item cross join payload on payload.item = item.id and payload.prefix = (
  select id from prefix where name = :prefix
)
where source = (select id from source where name = :source) and upstream > :after
  and not item.is_deleted and not payload.is_deleted
order by upstream limit :limit;

-- name: payloads
-- Return the payload pointers of these items (a JSON list).
select item, prefix.name, page, slice, digest, is_deleted
from json_each(?) as wanted cross join payload on payload.item = wanted.value cross join prefix on prefix.id = payload.prefix
order by item, prefix.name;

-- name: records
-- Return the stored facts about the records of these items (a JSON list).
select place.item, prefix.name, place.digest, place.is_deleted
from json_each(?) as wanted cross join place on place.item = wanted.value cross join prefix on prefix.id = place.prefix
order by place.item, prefix.name;

-- name: files_any
-- Return whether a fact about any file is known.
select exists (select * from file);

-- name: files
-- Return the facts about the files of these items (a JSON list).
select item, url, mime_type, origin, found_in, size, sha256, modified, license, version, found_at, is_named, copy_url, content,
  retracted, missing, is_supplement
from json_each(?) as wanted cross join file on file.item = wanted.value order by file.id;

-- name: served_copy
-- Return the media type of our copy of a file with each of the first items that name it and are not deleted.
select mime_type, coalesce(item.identifier, source.stem || item.upstream)
from file cross join item on item.id = file.item cross join source on source.id = item.source
where sha256 = :sha256 and copy_url <> '' and not item.is_deleted order by item.id limit :limit;

-- name: withheld_of
-- Return the items of these (a JSON list) that are withheld.
select withheld.item from json_each(?) as wanted cross join withheld on withheld.item = wanted.value;

-- name: lacking_of
-- Return what the records of these items (a JSON list) lack.
select lacking.item, prefix.name, lacks
from json_each(?) as wanted cross join lacking on lacking.item = wanted.value cross join prefix on prefix.id = lacking.prefix;

-- name: lack_counts
-- Return how many items of some sources (a JSON list) lack the same, by source and format, and the first of them.
select source.name, prefix.name, tally.lacks, tally.items, (
  select min(item) from lacking where source = tally.source and prefix = tally.prefix and lacks = tally.lacks
)
from json_each(?) as wanted cross join source on source.name = cast(wanted.value as text)
cross join lack_tally as tally on tally.source = source.id
cross join prefix on prefix.id = tally.prefix where tally.items > 0;

-- name: unused
-- Return what is stored about elements that no reader uses, of some sources (a JSON list).
select cast(wanted.value as text), fact.value from json_each(?) as wanted
cross join fact on fact.name = 'unused ' || cast(wanted.value as text) and fact.value <> '';

-- name: items_lacking
-- Return items of a source that lack something (one flag).
select item.upstream from lacking cross join item on item.id = lacking.item
where lacking.source = (select id from source where name = :source) and lacks & :lack <> 0 limit :limit;

-- name: items_withheld
-- Return a part of the withheld items, with the names of their sources; `hidden`: only items that are withheld as a whole.
select item.id, item.upstream, coalesce(item.identifier, source.stem || item.upstream), item.is_deleted, source.name
from withheld cross join item on item.id = withheld.item cross join source on source.id = item.source
where withheld.item > :after and item.is_deleted >= :hidden order by withheld.item limit :limit;

-- name: items_with
-- Return the items that are not deleted and have a file.
select item.id from file cross join item on item.id = file.item where sha256 = ? and not item.is_deleted;

-- name: item_sets
-- Return the specs of the sets of an item.
select 'source' from item where id = :item
union all
select spec from item cross join json_each(item.sets) as place cross join collection on collection.id = place.value
where item.id = :item
order by 1;

-- name: counts
-- Return the numbers of items of a source, of its records in quarantine, and of its waiting deletions.
select items, deleted, fulltext,
  (select count(*) from quarantine where released_at is null and quarantine.source = source.id),
  (select count(*) from deletion where deletion.source = source.id and waits)
from source where name = ?;

-- name: standings
-- Return the same of all sources, with their positions and names.
select items, deleted, fulltext,
  (select count(*) from quarantine where released_at is null and quarantine.source = source.id),
  (select count(*) from deletion where deletion.source = source.id and waits),
  position, name
from source;

-- name: quarantined
-- Return the records in quarantine, of one source or of all.
select source.name, metadata_prefix, identifier, page, slice, reason, at, quarantine.id
from quarantine indexed by quarantine_now join source on source.id = quarantine.source
where released_at is null and quarantine.id > :after and (cast(:source as text) is null or source.name = :source)
order by quarantine.id limit :limit;

-- name: waiting
-- Return a part of the deletions of a source that wait for a person, by record.
select metadata_prefix, identifier, page, slice, waits
from deletion join source on source.id = deletion.source
where source.name = ? and waits and (metadata_prefix, identifier) > (?, ?)
order by metadata_prefix, identifier limit ?;

-- name: deletions_of
-- Return the deletions of these records of a source that were not carried out.
select metadata_prefix, identifier, page, slice, waits
from deletion join source on source.id = deletion.source
where source.name = ? and identifier in (select cast(value as text) from json_each(?));

-- Sources, formats, sets -------------------------------------------------------------------------------------------

-- name: source_put_former
-- Note the address of a source that is about to get another address or kind.
insert into former_source
select name, cast(:until as bigint), base_url, kind from source
where name = :name and (base_url <> :base_url or kind <> :kind) on conflict do nothing;

-- name: former_sources
-- Return the former addresses of all sources, the oldest first.
select source, base_url, kind, until from former_source order by source, until;

-- name: source_put
-- Add a source, or change its facts.
insert into source (name, base_url, kind, is_removed, is_friend) values (?, ?, ?, ?, ?)
on conflict (name) do update
set base_url = excluded.base_url, kind = excluded.kind, is_removed = excluded.is_removed,
    is_friend = excluded.is_friend;

-- name: source
-- Return the number of a source, and the stem of its identifiers.
select id, stem from source where name = ?;

-- name: position
-- Return the number of the last inbox page of a source that was published.
select position from source where name = ?;

-- name: position_last
-- Return the number of the last inbox page of all that was published.
select coalesce(max(position), 0) from source;

-- name: position_move
-- Move the position, if it has not changed meanwhile.
update source set position = :after where name = :source and position = :before;

-- name: edition
-- Return how often the facts about the files of a source's items have changed.
select edition from source where name = ?;

-- name: edition_raise
-- Count a change of the facts about the files of a source's items.
update source set edition = edition + 1 where id = ?;

-- name: prefix_add
-- Give the name of a metadata format a number.
insert into prefix (name) values (?) on conflict do nothing;

-- name: prefixes
-- Return the numbers of all names of metadata formats.
select name, id from prefix;

-- name: format
-- Return one exposed format.
select prefix.name, schema, namespace, version, source, upstream_prefix
from prefix join format on format.prefix = prefix.id where prefix.name = ?;

-- name: format_put
-- Expose a format, or change its description.
insert into format
select id, cast(?2 as text), cast(?3 as text), cast(?4 as bigint), cast(?5 as text), cast(?6 as text)
from prefix where name = ?1
on conflict (prefix) do update
set schema = excluded.schema, namespace = excluded.namespace, version = excluded.version,
  source = excluded.source, upstream_prefix = excluded.upstream_prefix;

-- name: format_of_upstream
-- Return the prefix under which a source's format is exposed.
select prefix.name from upstream_format join prefix on prefix.id = upstream_format.prefix
where source = ? and upstream_prefix = ?;

-- name: format_of_upstream_taken
-- Return whether a prefix exposes another format of the same source already.
select 1 from upstream_format join prefix on prefix.id = upstream_format.prefix
where source = ?1 and upstream_prefix <> ?2 and prefix.name = ?3 limit 1;

-- name: formats_of_source
-- Return the prefixes under which the formats of a source are exposed.
select prefix.name, schema, namespace, version, cast(?1 as text), upstream_format.upstream_prefix
from upstream_format join prefix on prefix.id = upstream_format.prefix join format on format.prefix = prefix.id
where upstream_format.source = ?1 order by upstream_format.upstream_prefix;

-- name: upstream_format_put
-- Store the prefix under which a source's format is exposed.
insert into upstream_format select cast(?1 as text), cast(?2 as text), id from prefix where name = ?3
on conflict (source, upstream_prefix) do update set prefix = excluded.prefix;

-- name: collection_put
-- Add a set, or change its name and description.
insert into collection (spec, name, description) values (?, ?, ?)
on conflict (spec) do update set name = excluded.name, description = excluded.description;

-- name: collection_add
-- Add a set if it is missing.
insert into collection (spec, name, description) values (?1, ?1, x'') on conflict do nothing;

-- name: collections_named
-- Return the numbers of these sets (a JSON list of specs).
select collection.spec, collection.id from json_each(?) as wanted cross join collection on collection.spec = cast(wanted.value as text);

-- Publishing -------------------------------------------------------------------------------------------------------

-- name: held_items
-- Return the facts that a publication needs about the items it changes (a JSON list of upstream identifiers).
select item.upstream, item.id, item.is_deleted, item.sets, item.departed
from json_each(:upstreams) as wanted cross join item on item.source = :source and item.upstream = cast(wanted.value as text);

-- name: held_records
-- Return the facts that a publication needs about the records of the items it changes (a JSON list of numbers).
select place.item, place.prefix, place.datestamp, place.number, place.digest, place.is_deleted,
  coalesce(change.length, resource.length), coalesce(change.sha256, resource.sha256)
from json_each(?) as wanted cross join place on place.item = wanted.value left join change on change.id = place.line
  left join resource on resource.id = place.item * 1048576 + place.prefix;

-- name: held_contents
-- Return the files of some items (a JSON list of numbers), as they are stored.
select item, place, url, mime_type, size, sha256, modified, copy_url, is_supplement
from json_each(?) as wanted cross join content on content.item = wanted.value order by item, place;

-- name: item_last
-- Return the number of the last item.
select coalesce(max(id), 0) from item;

-- name: stem_set
-- Store the beginning of the local identifiers of a source.
update source set stem = ? where id = ?;

-- name: item_add
-- Add an item.
insert into item (id, source, is_deleted, upstream, identifier, sets, departed) values (?, ?, ?, ?, ?, ?, ?);

-- name: item_change
-- Change the facts of an item.
update item set is_deleted = ?, sets = ?, departed = ? where id = ?;

-- name: withheld_put
-- Note that a part of an item is withheld.
insert into withheld values (?) on conflict do nothing;

-- name: withheld_remove
-- Note that no part of an item is withheld any more.
delete from withheld where item = ?;

-- name: lacking_put
-- Note what the record of an item lacks.
insert into lacking (item, source, prefix, lacks) values (?, ?, ?, ?)
on conflict (item) do update set source = excluded.source, prefix = excluded.prefix, lacks = excluded.lacks;

-- name: lacking_remove
-- Note that the record of an item lacks nothing.
delete from lacking where item = ?;

-- name: payload_put
-- Store the place of the last good payload of an item.
insert into payload (item, prefix, page, slice, is_deleted, digest) values (?, ?, ?, ?, ?, ?)
on conflict (item, prefix) do update set page = excluded.page, slice = excluded.slice, is_deleted = excluded.is_deleted, digest = excluded.digest;

-- name: block_holes
-- Note which records of a block were superseded.
update block set holes = ? where prefix = ? and datestamp = ? and number = ?;

-- name: block_remove
-- Remove a block.
delete from block where prefix = ? and datestamp = ? and number = ?;

-- name: body_remove
-- Remove what was in a block.
delete from body where id = ?;

-- name: body_add
-- Store what is in a block.
insert into body (records, length, crc, adler, headers, header_length, header_crc, header_adler, lengths, items)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id;

-- name: block_add
-- Put a block into the list of its format.
insert into block (prefix, datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, is_tight)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: place_put
-- Note where the record of an item is.
insert into place (item, prefix, datestamp, number, is_deleted, digest, line) values (?, ?, ?, ?, ?, ?, ?)
on conflict (item, prefix) do update set datestamp = excluded.datestamp, number = excluded.number, is_deleted = excluded.is_deleted, digest = excluded.digest, line = excluded.line;

-- name: files_remove
-- Forget the facts about an item's files.
delete from file where item = ?;

-- name: file_add
-- Store the facts about a file.
insert into file (
  item, url, mime_type, origin, found_in, size, sha256, modified, license, version, found_at, is_named, copy_url, content,
  retracted, missing, is_supplement
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: members_of_block
-- Return the sets of which a block has records, with their bits.
select collection, bits, departed from member where prefix = ? and datestamp = ? and number = ?;

-- name: members_remove
-- Forget the sets of which a block has records.
delete from member where prefix = ? and datestamp = ? and number = ?;

-- name: member_put
-- Note which records of a block are in a set, and which left it.
insert into member (collection, prefix, datestamp, number, bits, departed) values (?, ?, ?, ?, ?, ?)
on conflict (collection, prefix, datestamp, number) do update set bits = excluded.bits, departed = excluded.departed;

-- name: member_remove
-- Forget a set of which a block has no record any more.
delete from member where collection = ? and prefix = ? and datestamp = ? and number = ?;

-- name: own_lists
-- Return the lists of sparse sets.
select number, collection, prefix, datestamp, last, is_ready, wanted_on from own_list order by number;

-- name: own_list_ready
-- Return the number of the complete list of a set in a format.
select number from own_list where collection = ? and prefix = ? and is_ready;

-- name: own_list_want
-- Note that somebody harvests a set.
insert into own_list (number, collection, prefix, wanted_on)
select coalesce(min(number), 0) - 1, :collection, :prefix, :day from own_list where true
on conflict (collection, prefix) do update set wanted_on = excluded.wanted_on;

-- name: own_list_grow
-- Note up to which key a list has its records, and whether it is complete.
update own_list set datestamp = ?, last = ?, is_ready = ? where number = ?;

-- name: own_list_bodies_remove
-- Remove what is in the blocks of a list.
delete from body where id in (select body from block where prefix = ?);

-- name: own_list_blocks_remove
-- Remove the blocks of a list.
delete from block where prefix = ?;

-- name: own_list_remove
-- Forget a list.
delete from own_list where number = ?;

-- name: blocks_bad
-- Return blocks below a second that have holes, or few records, of all formats.
select prefix, datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, is_tight
from block indexed by block_bad
where (holes is not null or is_small) and last_datestamp < :horizon
  and (prefix, datestamp, number) > (:prefix, :datestamp, :number)
order by prefix, datestamp, number limit :limit;

-- name: blocks_with_holes
-- Return where the blocks are that have superseded records.
select prefix, datestamp, number from block indexed by block_bad
where (holes is not null or is_small) and holes is not null;

-- name: blocks_unerased
-- Return how many blocks with some bodies (a JSON list) have superseded records.
select count(*) from block where holes is not null and body in (select value from json_each(?));

-- name: blocks_loose
-- Return blocks below a second that have holes, or few records, or could be compressed better, of all formats.
select prefix, datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body, is_tight from block
where (holes is not null or is_small or not is_tight) and last_datestamp < :horizon
  and (prefix, datestamp, number) > (:prefix, :datestamp, :number)
order by prefix, datestamp, number limit :limit;

-- name: blocks_loose_count
-- Return how many blocks below a second have holes, or few records, or could be compressed better.
select count(*) from block where (holes is not null or is_small or not is_tight) and last_datestamp < ?;

-- name: block_next
-- Return the block after one.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body from block
where prefix = ? and (datestamp, number) > (?, ?) order by datestamp, number limit 1;

-- name: block
-- Return a block by its key.
select datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body from block
where prefix = ? and datestamp = ? and number = ?;

-- name: tally_add
-- Count records that were added to a day, an hour or a second, or removed from it.
insert into tally (collection, prefix, span, start, records, departed) values (?, ?, ?, ?, ?, ?)
on conflict (collection, prefix, span, start)
do update set records = tally.records + excluded.records, departed = tally.departed + excluded.departed;

-- name: tally_sweep
-- Forget a day, an hour or a second that has become empty.
delete from tally
where collection = ? and prefix = ? and span = ? and start = ? and records = 0 and departed = 0;

-- name: resource_put
-- Store the length and the SHA-256 of the metadata of a record that an earlier release wrote.
insert into resource (id, length, sha256) values (?2 * 1048576 + ?1, ?3, ?4)
on conflict (id) do update set length = excluded.length, sha256 = excluded.sha256;

-- name: resource_remove
-- Forget the length and the SHA-256 of a record that an earlier release wrote.
delete from resource where id = ?2 * 1048576 + ?1;

-- name: cited
-- Return the DOI of the work of an item.
select uri from cited where item = ?;

-- name: cited_remove
-- Forget the DOI of the work of an item.
delete from cited where item = ?;

-- name: cited_put
-- Store the DOI of the work of an item.
insert into cited (item, uri) values (?, ?)
on conflict (item) do update set uri = excluded.uri;

-- name: contents_remove
-- Forget the files to which the DIDL of an item refers.
delete from content where item = ?;

-- name: content_add
-- Store a file to which the DIDL of an item refers.
insert into content (item, place, url, mime_type, size, sha256, modified, copy_url, is_supplement)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: combination_add
-- Give a combination of sets (a JSON list) a number.
insert into combination (sets) values (?) on conflict do nothing;

-- name: combinations
-- Return the numbers of combinations of sets (a JSON list of such lists).
select combination.sets, combination.id from json_each(?) as wanted cross join combination on combination.sets = cast(wanted.value as text);

-- name: change_add
-- Add a line to the log of changes.
insert into change (id, prefix, datestamp, kind, item, length, sha256, sets, departed) values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: logged_add
-- Note which lines of the log of changes a publication wrote in one format.
insert into logged (prefix, datestamp, first, last) values (?, ?, ?, ?);

-- name: source_count
-- Count items that were added, were deleted, or have full text.
update source set items = items + ?, deleted = deleted + ?, fulltext = fulltext + ? where id = ?;

-- name: quarantine_put
-- Put a record into quarantine, or change its reason.
insert into quarantine (source, metadata_prefix, identifier, page, slice, reason, at) values (?, ?, ?, ?, ?, ?, ?)
on conflict (source, metadata_prefix, identifier) where released_at is null and identifier <> ''
do update set page = excluded.page, slice = excluded.slice, reason = excluded.reason, at = excluded.at;

-- name: quarantine_put_nameless
-- Put a record without an identifier into quarantine, or change its reason.
insert into quarantine (source, metadata_prefix, identifier, page, slice, reason, at) values (?, ?, ?, ?, ?, ?, ?)
on conflict (source, metadata_prefix, page, slice) where released_at is null and identifier = ''
do update set reason = excluded.reason, at = excluded.at;

-- name: quarantine_release
-- Note that a record is good again.
update quarantine set released_at = ?
where source = ? and metadata_prefix = ? and identifier = ? and identifier <> '' and released_at is null;

-- name: deletion_put
-- Store a deletion that is not carried out.
insert into deletion (source, metadata_prefix, identifier, page, slice, waits) values (?, ?, ?, ?, ?, ?)
on conflict (source, identifier, metadata_prefix) do update set page = excluded.page, slice = excluded.slice, waits = excluded.waits;

-- name: deletion_remove
-- Forget the deletion of a record.
delete from deletion where source = ? and metadata_prefix = ? and identifier = ?;

-- Checking ---------------------------------------------------------------------------------------------------------

-- name: check_spans
-- Return the sets and formats whose tallies of days, hours and seconds differ.
select collection.spec, prefix.name
from tally join collection on collection.id = tally.collection join prefix on prefix.id = tally.prefix
group by tally.collection, tally.prefix, collection.spec, prefix.name
having sum(case span when 1 then records when 3600 then -records else 0 end) <> 0
  or sum(case span when 1 then records when 86400 then -records else 0 end) <> 0
  or sum(case span when 1 then departed when 3600 then -departed else 0 end) <> 0
  or sum(case span when 1 then departed when 86400 then -departed else 0 end) <> 0;

-- name: check_items
-- Return the sources whose count of items is not the number of their items.
select name, items, found from (
  select name, items, (select count(*) from item where item.source = source.id) as found from source
) as counted where items <> found;

-- name: check_log
-- Return the numbers of lines of the log of changes, and of those that lists of changes have, if they differ.
select lines, listed from (
  select (select count(*) from change where sets is not null) as lines,
    (select coalesce(sum(last - first + 1), 0) from logged) as listed
) as counted where lines <> listed;

-- name: check_lines
-- Return how many records have a line of the log of changes that is not theirs.
select count(*) from place left join change on change.id = place.line
where place.line is not null and not coalesce(
  change.item = place.item and change.prefix = place.prefix and change.datestamp = place.datestamp, false
);

-- name: check_sample
-- Return some tallies of seconds, from the whole range.
select collection, prefix, start, records, departed from tally
where span = 1 order by (start * 48271 + collection * 16807 + prefix * 69621) % 2147483647 limit ?;

-- name: check_blocks
-- Return the blocks of a format that may have records of a second, with the bits of a set, and whether it has some.
select block.datestamp, block.number, last_datestamp, last_number, count, is_small, holes, runs, body, bits, departed,
  member.collection is not null
from block left join member on member.collection = :collection and member.prefix = block.prefix
  and member.datestamp = block.datestamp and member.number = block.number
where block.prefix = :prefix and block.datestamp <= :second and block.last_datestamp >= :second;

-- name: check_rows
-- Return all blocks in the order of their lists.
select prefix, datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body from block
order by prefix, datestamp, number;

-- name: check_damaged
-- Return the blocks that have some bodies (a JSON list).
select prefix, datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body from block
where body in (select value from json_each(?)) order by prefix, datestamp, number;

-- name: check_list_names
-- Return the numbers of the lists of sparse sets, with their sets and formats.
select own_list.number, collection.spec, prefix.name
from own_list join collection on collection.id = own_list.collection join prefix on prefix.id = own_list.prefix;

-- name: check_specs
-- Return the numbers and specs of all sets.
select id, spec from collection;

-- name: items_between
-- Return the items whose records of a format have keys in a range.
select item from place where prefix = ? and (datestamp, number) >= (?, ?) and (datestamp, number) <= (?, ?) order by item;

-- name: places_forget
-- Forget the digests of the records of a format whose keys are in a range, so that these count as changed.
update place set digest = x'' where prefix = ? and (datestamp, number) >= (?, ?) and (datestamp, number) <= (?, ?);

-- name: check_places
-- Return how many items have a record in each format.
select prefix, count(*) from place group by prefix;

-- name: check_places_lost
-- Return the items whose record of a format is in no block.
select item from place where prefix = :prefix and coalesce((
  select (last_datestamp, last_number) < (place.datestamp, place.number) from block
  where block.prefix = place.prefix and (block.datestamp, block.number) <= (place.datestamp, place.number)
  order by block.datestamp desc, block.number desc limit 1
), true) order by item;

-- name: check_own_lists
-- Return the complete lists of sparse sets, and how many records these sets have.
select own_list.number, (
  select coalesce(sum(records), 0) from tally
  where tally.collection = own_list.collection and tally.prefix = own_list.prefix and span = 86400
)
from own_list where is_ready;

-- name: check_bodies
-- Return how many blocks are in no list.
select count(*) from body where id not in (select body from block);

-- name: check_members
-- Return how many places of sets are in no block.
select count(*) from member
where not exists (
  select * from block where block.prefix = member.prefix and block.datestamp = member.datestamp and block.number = member.number
);

-- name: check_keys
-- Return where the records of some items (a JSON list) are.
select place.item, place.datestamp, place.number
from json_each(:items) as wanted cross join place on place.item = wanted.value and place.prefix = :prefix;

