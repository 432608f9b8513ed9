-- Every query of an audit against Crossref. The form is that of gateway/store/queries.py.

-- name: fact
-- One remembered fact.
select value from fact where name = ?;

-- name: fact_put
-- Remember a fact.
insert into fact values (?, ?) on conflict do update set value = excluded.value;

-- name: window_add
-- Put up a window of the list.
insert or ignore into window (since, until) values (?, ?);

-- name: window_next
-- The first window whose list has not come to its end.
select since, until, cursor, received from window where not is_done order by since limit 1;

-- name: window_put
-- Write how far a window has come.
update window set cursor = :cursor, received = :received, total = :total, is_done = :is_done where since = :since;

-- name: window_short
-- Windows of which fewer came than were announced.
select since, until, received, total from window where is_done and received < total order by since;

-- name: work_put
-- Keep a work; what comes twice is one.
insert into work values (:doi, :title_key, :title, :journal, :issns, :dates, :year, :type)
on conflict do update set title_key = excluded.title_key, title = excluded.title, journal = excluded.journal,
  issns = excluded.issns, dates = excluded.dates, year = excluded.year, type = excluded.type;

-- name: work
-- One work by its DOI.
select doi, title, journal, issns, dates, type from work where doi = ?;

-- name: work_titled
-- Works of a title; of two nobody can say which is meant.
select doi, title, journal, issns, dates, type from work where title_key = ? limit 2;

-- name: held_clear
-- Forget what was found of what is held.
delete from held;

-- name: held_put
-- Keep a record that is held, and the work it is, if it is one.
insert into held (identifier, work, title, issns, year, has_file, dois, differences)
values (:identifier, :work, :title, :issns, :year, :has_file, :dois, :differences);

-- name: strays
-- DOIs of records that no work of the list has, and of which it is not known who registered them.
select distinct value from held, json_each(held.dois) where value not in (select doi from agency) order by value;

-- name: agency_put
-- Remember who registered a DOI.
insert or replace into agency values (?, ?);

-- name: journals
-- By which ISSNs and titles works and records go.
select issns, journal, max(year) from work group by issns, journal
union all select issns, '', '' from held where work is null group by issns;

-- name: works
-- Every work beside the records that are held of it.
select work.doi, work.title, work.issns, work.journal, work.year, work.type, max(has_file), json_group_array(identifier),
  json_group_array(json(differences)), json_group_array(json(dois))
from work left join held on held.work = work.doi group by work.doi
order by work.issns, work.journal, work.year, work.doi;

-- name: agency
-- Who registered a DOI.
select name from agency where doi = ?;

-- name: unknown
-- Every record that is held and is no work of the list.
select '', title, issns, '', year, '', has_file, json_array(identifier), json_array(json(differences)),
  json_array(json(dois))
from held where work is null order by issns, year, identifier;
