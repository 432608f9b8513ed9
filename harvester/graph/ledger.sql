-- Every query of the ledger of an export. The form is that of gateway/store/queries.py.

-- name: person_add
-- Note a person, with the name in the first publication.
insert or ignore into person values (?, ?);

-- name: publisher_add
-- Note a publisher; what the latest search knew of it wins.
insert into publisher values (?, ?, ?) on conflict do update set
  searched_at = excluded.searched_at, fields = excluded.fields where excluded.searched_at > publisher.searched_at;

-- name: subject_add
-- Note a subject, as its first publication writes it.
insert or ignore into subject values (?, ?);

-- name: namesake_add
-- Note under which name an author writes.
insert into namesake values (?, ?);

-- name: persons
-- Return the persons.
select orcid, name from person order by orcid;

-- name: publishers
-- Return the publishers.
select fields from publisher order by id;

-- name: subjects
-- Return the subjects.
select id, name from subject order by id;

-- name: namesakes
-- Return names with their authors; those of one name stand together.
select distinct key, author from namesake order by key, author;
