-- Every query of an audit against Crossref. The form is that of gateway/store/queries.py.

-- name: fact
-- Return one remembered fact.
select value from fact where name = ?;

-- name: fact_put
-- Remember a fact.
insert into fact values (?, ?) on conflict do update set value = excluded.value;

-- name: window_add
-- Add a window of the list.
insert or ignore into window (since, until) values (?, ?);

-- name: window_next
-- Return the first window whose list has not ended.
select since, until, cursor, received from window where not is_done order by since limit 1;

-- name: window_put
-- Store the progress of a window.
update window set cursor = :cursor, received = :received, total = :total, is_done = :is_done where since = :since;

-- name: window_short
-- Return the windows with fewer works than announced.
select since, until, received, total from window where is_done and received < total order by since;

-- name: work_put
-- Store a work. A work that comes twice is stored once.
insert into work values (:doi, :title_key, :title, :journal, :issns, :dates, :year, :type)
on conflict do update set title_key = excluded.title_key, title = excluded.title, journal = excluded.journal,
  issns = excluded.issns, dates = excluded.dates, year = excluded.year, type = excluded.type;

-- name: work
-- Return one work by its DOI.
select doi, title, journal, issns, dates, type from work where doi = ?;

-- name: work_titled
-- Return the works with a title. If there are two, the title does not decide.
select doi, title, journal, issns, dates, type from work where title_key = ? limit 2;

-- name: held_clear
-- Forget the results about stored records.
delete from held;

-- name: held_put
-- Add a stored record, and its work, if it has one.
insert into held (identifier, work, title, issns, year, has_file, dois, differences)
values (:identifier, :work, :title, :issns, :year, :has_file, :dois, :differences);

-- name: strays
-- Return the DOIs of records that no work of the list has, and whose registration agency is unknown.
select distinct value from held, json_each(held.dois) where value not in (select doi from agency) order by value;

-- name: agency_put
-- Remember the registration agency of a DOI.
insert or replace into agency values (?, ?);

-- name: journals
-- Return the ISSNs and titles of the journals of works and records.
select issns, journal, max(year) from work group by issns, journal
union all select issns, '', '' from held where work is null group by issns;

-- name: works
-- Return every work with its stored records.
select work.doi, work.title, work.issns, work.journal, work.year, work.type, max(has_file), json_group_array(identifier),
  json_group_array(json(differences)), json_group_array(json(dois))
from work left join held on held.work = work.doi group by work.doi
order by work.issns, work.journal, work.year, work.doi;

-- name: agency
-- Return the registration agency of a DOI.
select name from agency where doi = ?;

-- name: unknown
-- Return every stored record that is not a work of the list.
select '', title, issns, '', year, '', has_file, json_array(identifier), json_array(json(differences)),
  json_array(json(dois))
from held where work is null order by issns, year, identifier;
