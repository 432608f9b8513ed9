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
update search set state = :state, due = :due, outcome = :outcome, searched_at = :at, story = :story,
  tries = case :state when 'done' then 0 else tries end
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: release
-- Give an item back as it was before it was taken.
update search set state = 'due', due = :at, tries = max(tries - 1, 0)
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: renew
-- Make due again what was searched before a second.
update search set state = 'due', due = :at
where state = 'done' and searched_at < :before and (:sources = '' or instr(:sources, ' ' || source || ' '));

-- name: search
-- One item.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search where identifier = ?;

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
insert into decision (identifier, url, sha256, verdict, reason, decided_by, at) values (?, ?, ?, ?, ?, ?, ?);

-- name: decisions
-- All decisions on the copies of an item, in the order in which they were taken.
select identifier, url, sha256, verdict, reason, decided_by, at from decision where identifier = ? order by number;

-- name: decided
-- The decisions in force with a verdict, item by item.
select identifier, url, sha256, verdict, reason, decided_by, at from decision
where number in (select max(number) from decision group by identifier, url) and verdict = ? and identifier > ?
order by identifier, url limit ?;
