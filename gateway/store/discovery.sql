-- Every query of the search for full text. See queries.py for the form.

-- name: position
-- How far the items of a source were looked through.
select item from position where source = ?;

-- name: position_put
-- Move that place forward.
insert into position values (?, ?) on conflict do update set item = max(item, excluded.item);

-- name: enlist
-- Put an item up for a search; one that is known stays as it is.
insert or ignore into search (identifier, source, upstream, state, due) values (?, ?, ?, 'due', ?);

-- name: due_next
-- The item that is due longest, of some sources; a lease that has run out is due again.
select identifier from search
where state != 'done' and due <= :at and (:sources = '' or instr(:sources, ' ' || source || ' '))
order by due, identifier limit 1;

-- name: lease
-- Take an item until a second, under a new number.
update search set state = 'leased', due = :until, lease = lease + 1, tries = tries + 1
where identifier = :identifier returning identifier, source, upstream, lease, tries;

-- name: end
-- Write how a search ended, unless the lease was lost meanwhile.
update search set state = :state, due = :due, outcome = :outcome, searched_at = :at, story = :story, basis = :basis,
  tries = case :is_over when 1 then 0 else tries end, changed = changed + :is_over
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: release
-- Give an item back as it was before it was taken.
update search set state = 'due', due = :at, tries = max(tries - 1, 0)
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: renew
-- Make due again what was searched before a second.
update search set state = 'due', due = :at
where state = 'done' and searched_at < :before and (:sources = '' or instr(:sources, ' ' || source || ' '));

-- name: renew_outdated
-- Make an item due again that was searched for on another basis; a search under way has lost its lease.
update search set state = 'due', due = :at, tries = 0, lease = lease + 1
where identifier = :identifier and basis != :basis and state != 'due';

-- name: outdated
-- An item that `renew_outdated` would make due.
select identifier, source, upstream, lease, tries from search
where identifier = :identifier and basis != :basis and state != 'due';

-- name: search
-- One item.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search where identifier = ?;

-- name: change
-- Count something that may have changed what is to be published of an item.
update search set changed = changed + 1 where identifier = ?;

-- name: searches
-- A part of the searches that have ended, behind an identifier.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search
where identifier > ? and story <> x'' order by identifier limit ?;

-- name: search_forget
-- Forget the search for an item.
delete from search where identifier = ?;

-- name: decisions_forget
-- Forget what was decided of the files of an item.
delete from decision where identifier = ?;

-- name: change_searched
-- Count for every item that was searched for, or decided on, that it may have to be published otherwise.
update search set changed = changed + 1
where searched_at > 0 or identifier in (select identifier from decision);

-- name: positions_forget
-- Forget how far the items of all sources were looked through; what is remembered by a second and not by a number stays.
delete from position where source not like '% changed';

-- name: change_all
-- Count for every item of which something was accepted that it may have to be published otherwise.
update search set changed = changed + 1
where identifier in (select identifier from decision where verdict = 'accept');

-- name: unpublished
-- Items of some sources, or one, of which something may have to be published, behind one of them.
select identifier, source, upstream, changed from search
where changed > published and identifier > :after and (:sources = '' or instr(:sources, ' ' || source || ' '))
  and (:identifier = '' or identifier = :identifier)
order by identifier limit :limit;

-- name: publish
-- Note how far an item is published.
update search set published = max(published, ?) where identifier = ?;

-- name: counts
-- How many items of each source are in which state, with which outcome.
select source, state, outcome, count(*) from search group by source, state, outcome order by source, state, outcome;

-- name: answer
-- What was answered to a question, as long as it holds.
select content from answer where question = ? and expires > ?;

-- name: answer_put
-- Keep an answer.
insert or replace into answer values (?, ?, ?);

-- name: answers_expire
-- Forget the answers that do not hold any more.
delete from answer where expires <= ?;

-- name: decision_add
-- Add a decision.
insert into decision (identifier, url, sha256, verdict, reason, decided_by, at, is_undoing)
values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: decisions
-- All decisions on the copies of an item, in the order in which they were taken.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing from decision
where identifier = ? order by number;

-- name: decided
-- The decisions in force with a verdict, behind an item and an address.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing from decision
where verdict = ? and (identifier, url) > (?, ?) and not exists (
  select 1 from decision as later
  where later.identifier = decision.identifier and later.url = decision.url and later.number > decision.number)
order by identifier, url limit ?;

-- name: host_away
-- Until when a host is left alone.
select away_until from host where name = ?;

-- name: host_put
-- Leave a host alone until a second.
insert or replace into host values (?, ?);

-- name: due
-- Items that a search would take, of some sources, or one whether it is due or not, behind one of them.
select identifier, source, upstream, lease, tries from search
where identifier > :after and (:sources = '' or instr(:sources, ' ' || source || ' ')) and case
  when :identifier != '' then identifier = :identifier
  when state = 'done' then searched_at < :before
  else due <= :at end
order by identifier limit 1;

-- name: ending_add
-- Count how a step, or a copy, ended in a month.
insert into ending values (?, ?, ?, ?, ?, ?, 1) on conflict do update set count = count + 1;

-- name: endings
-- How steps and copies ended.
select source, step, host, outcome, month, what, count from ending
order by source, step, host, outcome, month, what;

-- name: refusal_add
-- Refuse a DOI for an item; the last reason stands.
insert or replace into refusal values (?, ?, ?, ?, ?);

-- name: refusals
-- The DOIs that are refused for an item.
select identifier, doi, reason, decided_by, at from refusal where identifier = ? order by doi;

-- name: refusals_forget
-- Forget what was refused for an item.
delete from refusal where identifier = ?;
