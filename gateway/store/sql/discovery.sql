-- Every query of the search for full text. See queries.py for the form.

-- name: position
-- Return the last item of a source that was considered for a search.
select item from position where source = ?;

-- name: position_put
-- Move this position forward.
insert into position values (?, ?) on conflict (source) do update set item = max(position.item, excluded.item);

-- name: enlist
-- Add an item to be searched for; a known item stays unchanged.
insert into search (identifier, source, upstream, state, due) values (?, ?, ?, 'due', ?) on conflict do nothing;

-- name: due_next
-- Return the item that has been due longest, of some sources; an item with an expired lease is due again.
select identifier from search
where state <> 'done' and due <= :at and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0)
order by due, identifier limit 1;

-- name: due_next_of
-- Return the same of one source.
select identifier from search where source = :source and state <> 'done' and due <= :at
order by due, identifier limit 1;

-- name: lease
-- Lease an item until a second, under a new number.
update search set state = 'leased', due = :until, lease = lease + 1, tries = tries + 1
where identifier = :identifier returning identifier, source, upstream, lease, tries;

-- name: end
-- Store the end of a search, unless its lease was lost meanwhile.
update search set state = :state, due = :due, outcome = :outcome, searched_at = :at, story = :story, basis = :basis,
  tries = case when :is_over = 1 then 0 else tries end, changed = changed + :is_over
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: release
-- Give an item back as it was before the lease.
update search set state = 'due', due = :at, tries = max(tries - 1, 0)
where identifier = :identifier and lease = :lease and state = 'leased';

-- name: renew
-- Make items of a source due again that were searched for before a second.
update search set state = 'due', due = :at
where source = :source and searched_at > 0 and searched_at < :before and state = 'done';

-- name: renew_outdated
-- Make items due again that were searched for on another basis; a search in progress loses its lease.
update search set state = 'due', due = :at, tries = 0, lease = lease + 1
where identifier = :identifier and basis != :basis and state != 'due';

-- name: outdated
-- Return an item that `renew_outdated` would make due.
select identifier, source, upstream, lease, tries from search
where identifier = :identifier and basis != :basis and state != 'due';

-- name: search
-- Return the search for one item.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search where identifier = ?;

-- name: change
-- Count a change that may affect the publication of an item.
update search set changed = changed + 1 where identifier = ?;

-- name: searches
-- Return a part of the searches that have ended, after an identifier.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search
where identifier > ? and story <> x'' order by identifier limit ?;

-- name: search_forget
-- Forget the search for an item.
delete from search where identifier = ?;

-- name: decisions_forget
-- Forget the decisions on the files of an item.
delete from decision where identifier = ?;

-- name: change_searched
-- Count a possible change of publication for every item that was searched for or decided on.
update search set changed = changed + 1
where searched_at > 0 or identifier in (select identifier from decision);

-- name: position_forget
-- Forget one position, so that all is listed again.
delete from position where source = ?;

-- name: positions_forget
-- Forget the positions of all sources in their items; facts remembered by a second and not by a number stay.
delete from position where source not like '% changed';

-- name: change_all
-- Count a possible change of publication for every item with an accepted file.
update search set changed = changed + 1
where identifier in (select identifier from decision where verdict = 'accept');

-- name: unpublished
-- Return the items of some sources that may have to be published, after one of them.
select identifier, source, upstream, changed from search
where changed > published and identifier > :after and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0)
order by identifier limit :limit;

-- name: unpublished_of
-- Return the same of one source.
select identifier, source, upstream, changed from search
where changed > published and source = :source and identifier > :after order by identifier limit :limit;

-- name: unpublished_sources
-- Return the sources with items that may have to be published: one step in the index for each.
with recursive found (name) as (
  select min(source) from search where changed > published
  union all
  select (select min(source) from search where changed > published and source > found.name) from found
  where found.name is not null
)
select name from found where name is not null;

-- name: unpublished_among
-- Return those of some items that may have to be published, after one of them.
select identifier, source, upstream, changed
from json_each(:identifiers) as wanted cross join search on search.identifier = cast(wanted.value as text)
where changed > published and identifier > :after and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0)
order by identifier limit :limit;

-- name: publish
-- Store the count up to which an item is published.
update search set published = max(published, ?) where identifier = ?;

-- name: counts
-- Return the number of items of each source by state and outcome.
select source, state, outcome, sum(items) from search_count where items > 0
group by source, state, outcome order by source, state, outcome;

-- name: searched
-- Return the number of items of each source that were searched for.
select source, sum(items) from search_count where searched = 1 and items > 0 group by source;

-- name: answer
-- Return the answer to a question, while it is valid.
select content from answer where question = ? and expires > ?;

-- name: answer_put
-- Store an answer.
insert into answer values (?, ?, ?)
on conflict (question) do update set expires = excluded.expires, content = excluded.content;

-- name: answers_expire
-- Forget the answers that are not valid any more.
delete from answer where expires <= ?;

-- name: decision_add
-- Add a decision.
insert into decision (identifier, url, sha256, verdict, reason, decided_by, at, is_undoing)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: decision_last
-- Return the last decision on a copy.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, number from decision
where identifier = ? and url = ? order by number desc limit 1;

-- name: copy_digest
-- Return the SHA-256 of a copy, as the last search got it.
select sha256 from copy where identifier = ? and url = ?;

-- name: decisions
-- Return all decisions on the copies of an item, in the order of their time.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, number from decision
where identifier = ? order by number;

-- name: decision_history
-- Return all decisions on a copy, in the order of their time.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, number from decision
where identifier = ? and url = ? order by number;

-- name: copy_put
-- Store the facts of a copy; the decision on it stays.
insert into copy (identifier, url, source, title, authors, step, host, outcome, likeness, kind, colour, license, version,
  size, sha256, judge)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (identifier, url) do update set source = excluded.source, title = excluded.title,
  authors = excluded.authors, step = excluded.step, host = excluded.host, outcome = excluded.outcome,
  likeness = excluded.likeness, kind = excluded.kind, colour = excluded.colour, license = excluded.license,
  version = excluded.version, size = excluded.size, sha256 = excluded.sha256,
  judge = excluded.judge;

-- name: copies_to_judge
-- Return files that wait for a person and were judged by an earlier judge, after one of them.
select identifier, url from copy
where verdict = 'review' and decided_by = 'rule' and judge < :judge and sha256 <> ''
  and (identifier, url) > (:identifier, :url) and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0)
order by identifier, url limit :limit;

-- name: copies_to_judge_count
-- Return how many there are.
select count(*) from copy
where verdict = 'review' and decided_by = 'rule' and judge < :judge and sha256 <> ''
  and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0);

-- name: copy_judged
-- Note that a judge has read a file, or that no copy of it is stored.
update copy set judge = ? where identifier = ? and url = ?;

-- name: copies_drop
-- Delete the copies of an item on which nothing was decided.
delete from copy where identifier = ? and verdict = '';

-- name: copies_forget
-- Delete the copies of an item.
delete from copy where identifier = ?;

-- name: reasons_forget
-- Forget the reasons that no copy has any more.
delete from reason where number not in (select reason_number from copy);

-- name: copies_lack_after
-- Return the item up to which the stories of earlier releases were read; nothing if all were.
select identifier from copies_lack_after;

-- name: copies_lack_none
-- Note that the stories of earlier releases were read.
delete from copies_lack_after;

-- name: copies_lack_put
-- Note the item up to which the stories of earlier releases were read.
update copies_lack_after set identifier = ?;

-- name: copies_matching
-- Return the copies that a filter chooses, in an order; the texts in braces are those of the order (discovery_lists.py).
select identifier, url from copy
where verdict = :verdict and {place}
  and (:source = '' or source = :source)
  and (:sources = '[]' or +source in (select cast(value as text) from json_each(:sources)))
  and (:host = '' or lower(host) = lower(:host))
  and (:step = '' or lower(step) = lower(:step))
  and (:outcome = '' or outcome = :outcome)
  and (:kind = '' or kind = :kind or (kind = '' and :kind = 'unknown'))
  and (:colour = '' or colour = :colour or (colour = '' and :colour = 'unknown'))
  and (:license = '' or lower(license) = lower(:license) or (license = '' and :license = 'unknown'))
  and (:version = '' or version = :version or (version = '' and :version = 'unknown'))
  and (:decided_by = '' or decided_by = :decided_by)
  and (cast(:least_score as double precision) is null or likeness >= :least_score)
  and (cast(:most_score as double precision) is null or likeness between 0 and :most_score)
  and (:reason = '' or reason_number in (select number from reason where instr(lower(text), lower(:reason)) > 0))
order by {order} limit :limit;

-- name: copies_listed
-- Return copies with the last decision on each, if there is one.
select copy.identifier, copy.url, copy.source, title, authors, step, host, outcome, likeness, kind, colour, license,
  version, size, copy.sha256, judge, decision.identifier, decision.url, decision.sha256, decision.verdict, reason, decision.decided_by, at,
  is_undoing, number
from ({matching}) as matching join copy using (identifier, url) left join decision on decision.number = copy.decision;

-- name: copies_counted
-- Return the number of copies, up to a limit.
select count(*) from ({matching}) as matching;

-- name: addresses_with
-- Return copies with a verdict whose address has some words or an escape, after one of them; all is read from one index.
select identifier, url from copy indexed by copy_verdict
where verdict = :verdict and (identifier, url) > (:identifier, :url) and (url like :pattern or instr(url, '%') > 0)
order by identifier, url limit :limit;

-- name: first_page
-- Return the beginning of the text of a file.
select content from first_page where sha256 = ?;

-- name: first_page_put
-- Store the beginning of the text of a file.
insert into first_page values (?, ?) on conflict (sha256) do update set content = excluded.content;

-- name: first_pages_lacking
-- Return files whose text was never stored.
select distinct sha256 from copy
where sha256 <> '' and not exists (select 1 from first_page where first_page.sha256 = copy.sha256)
order by sha256 limit ?;

-- name: first_page_forget
-- Forget the text of a file.
delete from first_page where sha256 = ?;

-- name: first_pages_forget
-- Forget the texts of the files of an item that no other item has.
delete from first_page where sha256 in (
    select sha256 from copy where identifier = :identifier union select sha256 from decision where identifier = :identifier)
  and not exists (
    select 1 from copy where copy.sha256 = first_page.sha256 and copy.sha256 <> '' and identifier != :identifier);

-- name: host_away
-- Return the second until which a host is not asked.
select away_until from host where name = ?;

-- name: host_put
-- Store the second until which a host is not asked.
insert into host values (?, ?) on conflict (name) do update set away_until = excluded.away_until;

-- name: due
-- Return the items of some sources that a search would take, after one of them; or one item, due or not.
select identifier, source, upstream, lease, tries from search
where identifier > :after and (:sources = '' or instr(:sources, ' ' || source || ' ') > 0) and case
  when :identifier != '' then identifier = :identifier
  when state = 'done' then searched_at < :before
  else due <= :at end
order by identifier limit 1;

-- name: ending_add
-- Count an outcome of a step or a copy on a day.
insert into ending values (?, ?, ?, ?, ?, ?, ?, 1)
on conflict (source, step, host, outcome, month, what, day) do update set count = ending.count + 1;

-- name: endings
-- Return the outcomes of steps and copies, at all days and earlier, or since a day.
select source, step, host, outcome, month, what, day, count from ending where day >= ?
order by source, step, host, outcome, month, what, day;

-- name: endings_add_up
-- Add the counts of days before a day to those of their month without a day; of one source, or of all.
insert into ending select source, step, host, outcome, month, what, 0, sum(count) from ending
where day > 0 and day < :day and (:source = '' or source = :source) group by source, step, host, outcome, month, what
on conflict (source, step, host, outcome, month, what, day) do update set count = ending.count + excluded.count;

-- name: endings_forget
-- Forget the counts of days before a day; of one source, or of all.
delete from ending where day > 0 and day < :day and (:source = '' or source = :source);

-- name: searched_since
-- Return the last searches of a source that ended since a second, the latest first.
select identifier, source, upstream, state, due, tries, outcome, searched_at, story from search
where source = ? and searched_at > 0 and searched_at >= ? and story <> x'' order by searched_at desc, identifier limit ?;

-- name: alarm_open
-- Open an alarm, unless the same one is in force.
insert into alarm (source, step, host, what, opened_at, before, after, examples)
values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing;

-- name: alarms
-- Return all alarms.
select number, source, step, host, what, opened_at, before, after, examples, closed_at, acknowledged_at,
  acknowledged_by, comment
from alarm order by number;

-- name: alarms_in_force
-- Return the alarms that are in force.
select number, source, step, host, what, opened_at, before, after, examples, closed_at, acknowledged_at,
  acknowledged_by, comment
from alarm where closed_at = 0 order by number;

-- name: alarm_close
-- Close an alarm.
update alarm set closed_at = ? where number = ? and closed_at = 0;

-- name: alarm_acknowledge
-- Acknowledge an alarm that is in force; the first one counts.
update alarm set acknowledged_at = ?, acknowledged_by = ?, comment = ?
where number = ? and closed_at = 0 and acknowledged_at = 0;

-- name: refusal_add
-- Refuse a DOI for an item; the last reason is stored.
insert into refusal values (?, ?, ?, ?, ?) on conflict (identifier, doi) do update set
  reason = excluded.reason, decided_by = excluded.decided_by, at = excluded.at;

-- name: refusals
-- Return the DOIs that are refused for an item.
select identifier, doi, reason, decided_by, at from refusal where identifier = ? order by doi;

-- name: refusals_forget
-- Forget the refused DOIs of an item.
delete from refusal where identifier = ?;

-- name: accepted
-- Return the accepting decisions in force on files of a source, and upstream identifiers, after an item and an address.
select search.upstream, decision.identifier, decision.url, decision.sha256, decision.verdict, decision.reason,
  decision.decided_by, decision.at, decision.is_undoing, decision.number
from decision join search on search.identifier = decision.identifier
where decision.source = ? and decision.verdict = 'accept' and (decision.identifier, decision.url) > (?, ?)
  and not exists (
    select 1 from decision as later
    where later.identifier = decision.identifier and later.url = decision.url and later.number > decision.number)
order by decision.identifier, decision.url limit ?;

-- name: accepted_sources
-- Return the sources with files that were accepted or offered: one step in an index for each.
with recursive found (name) as (
  select min(source) from decision where verdict = 'accept'
  union all
  select (select min(source) from decision where verdict = 'accept' and source > found.name) from found
  where found.name is not null
), offered (name) as (
  select min(source) from offer
  union all
  select (select min(source) from offer where source > offered.name) from offered where offered.name is not null
)
select name from found where name is not null union select name from offered where name is not null;

-- name: offers
-- Return the offers to a source, after an item, a SHA-256 and a way.
select identifier, sha256, way, source, outcome, at, tries, next_at, status, place, location, problem from offer
where source = ? and (identifier, sha256, way) > (?, ?, ?) order by identifier, sha256, way limit ?;

-- name: offers_of
-- Return the offers of the files of an item.
select identifier, sha256, way, source, outcome, at, tries, next_at, status, place, location, problem from offer
where identifier = ? order by sha256, way;

-- name: offer_put
-- Store an offer.
insert into offer
  (identifier, sha256, way, source, outcome, at, tries, next_at, status, place, location, problem)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (identifier, sha256, way) do update set source = excluded.source, outcome = excluded.outcome,
  at = excluded.at, tries = excluded.tries, next_at = excluded.next_at, status = excluded.status,
  place = excluded.place, location = excluded.location, problem = excluded.problem;

-- name: offer_next
-- Return when the next offer to a source's inbox is repeated.
select min(next_at) from offer where source = ? and way = 'inbox' and next_at > 0;

-- name: accepted_by_rule
-- Return the files that a rule accepted at any time for a reason that begins so, and that have the same bytes still.
select distinct decision.identifier, decision.url, decision.sha256
from decision join copy on copy.identifier = decision.identifier and copy.url = decision.url
where decision.verdict = 'accept' and decision.decided_by = 'rule' and not is_undoing
  and substr(reason, 1, length(:beginning)) = :beginning and copy.sha256 = decision.sha256;

-- name: sample
-- Return the sample of a rule and a month, in its order.
select identifier, url, sha256 from sampled where rule = ? and month = ? order by place;

-- name: sample_drawn
-- Return the second in which a sample was drawn.
select drawn_at from sample_drawn where rule = ? and month = ?;

-- name: sample_drawn_put
-- Store the second in which a sample was drawn.
insert into sample_drawn values (?, ?, ?) on conflict (rule, month) do update set drawn_at = excluded.drawn_at;

-- name: sample_drop
-- Delete a sample.
delete from sampled where rule = ? and month = ?;

-- name: sample_put
-- Store a file of a sample.
insert into sampled values (?, ?, ?, ?, ?, ?);

-- name: sampled_forget
-- Delete the files of an item from the samples.
delete from sampled where identifier = ?;

-- name: judgement_put
-- Store a judgement; it replaces the former one of the same person on the same bytes.
insert into judgement values (?, ?, ?, ?, ?, ?, ?) on conflict (identifier, url, sha256, judged_by) do update set
  rule = excluded.rule, judged = excluded.judged, at = excluded.at;

-- name: judgements
-- Return the judgements since a second.
select rule, identifier, url, sha256, judged, judged_by, at from judgement where at >= ?
order by identifier, url, sha256, judged_by;

-- name: judgements_forget
-- Delete the judgements on the files of an item.
delete from judgement where identifier = ?;

-- name: decisions_latest
-- Return decisions with a verdict and in a time, from one of them on, in one direction; the texts in braces are those of the direction (discovery_lists.py).
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, decision.number,
  coalesce(entry, decision.number)
from decision left join decision_entry on decision_entry.number = decision.number
where at >= :since and at < :until and at {follows}= :at and (at {follows} :at or decision.number {follows} :number)
  and (:verdict = '' or verdict = :verdict)
order by at {direction}, decision.number {direction} limit :limit;

-- name: decisions_of_person
-- Return decisions of one person, or of rules, in the same way; of one source, or of all.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, decision.number,
  coalesce(entry, decision.number)
from decision left join decision_entry on decision_entry.number = decision.number
where decided_by = :decided_by and (:source = '' or source = :source) and
  at >= :since and at < :until and at {follows}= :at and (at {follows} :at or decision.number {follows} :number)
  and (:verdict = '' or verdict = :verdict)
order by at {direction}, decision.number {direction} limit :limit;

-- name: deciders
-- Return the names under which something was decided, `rule` among them.
with recursive decider(name) as (
  select min(decided_by) from decision
  union all
  select (select min(decided_by) from decision where decided_by > name) from decider where name is not null)
select name from decider where name is not null;

-- name: steps_of_copies
-- Return the steps that found the files with a decision: one step in the index for each.
with recursive found(step) as (
  select min(step) from copy where verdict <> '' and step > ''
  union all
  select (select min(step) from copy where verdict <> '' and copy.step > found.step) from found where step is not null)
select step from found where step is not null;

-- name: decisions_of_source
-- Return decisions on files of one source, in the same way.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, decision.number,
  coalesce(entry, decision.number)
from decision left join decision_entry on decision_entry.number = decision.number
where source = :source and
  at >= :since and at < :until and at {follows}= :at and (at {follows} :at or decision.number {follows} :number)
  and (:verdict = '' or verdict = :verdict)
order by at {direction}, decision.number {direction} limit :limit;

-- name: decision_entered
-- Note the entry of a decision.
insert into decision_entry values (?, ?);

-- name: decisions_of_entry
-- Return the decisions of the entry of a decision, the newest first.
select identifier, url, sha256, verdict, reason, decided_by, at, is_undoing, number from decision
where number = :number or number in (
  select number from decision_entry where entry = (select entry from decision_entry where number = :number))
order by number desc;

-- name: copies_of_decisions
-- Return the copies that some decisions are on, each with the last decision on it.
select copy.identifier, copy.url, copy.source, title, authors, step, host, outcome, likeness, kind, colour, license,
  version, size, copy.sha256, judge, decision.identifier, decision.url, decision.sha256, decision.verdict, reason,
  decision.decided_by, at, is_undoing, number
from copy join decision on decision.number = copy.decision
where (copy.identifier, copy.url) in (
  select identifier, url from decision where number in (select value from json_each(?)))
order by copy.identifier, copy.url;

-- name: copies_with
-- Return the copies with a SHA-256, in the order of items and addresses.
select identifier, url, source, title, authors, step, host, outcome, likeness, kind, colour, license, version, size,
  sha256, judge
from copy where sha256 = :sha256 and sha256 <> ''
  and (:sources = '[]' or +source in (select cast(value as text) from json_each(:sources)))
order by identifier, url limit :limit;

-- name: recheck_add
-- Store the first facts of a published file; of a known one, only what changed in its publication.
insert into look values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (identifier, url) do update set source = excluded.source, host = excluded.host,
  is_named = excluded.is_named, sha256 = excluded.sha256, entity_tag = '', modified = '', text_sha256 = ''
where look.sha256 <> excluded.sha256 or look.is_named <> excluded.is_named or look.source <> excluded.source;

-- name: rechecks_forget
-- Forget the files of an item that are not published, by a JSON list of those that are.
delete from look where identifier = ? and url not in (select cast(value as text) from json_each(?));

-- name: recheck_put
-- Store the recheck of a file, if the published bytes are those that were rechecked.
update look set due = :due, looked_at = :looked_at, whole_at = :whole_at, rounds = :rounds, outcome = :outcome,
  final_url = :final_url, entity_tag = :entity_tag, modified = :modified, failures = :failures,
  failing_since = :failing_since, text_sha256 = :text_sha256
where identifier = :identifier and url = :url and sha256 = :sha256;

-- name: recheck_change
-- Store the digest of new bytes of a file.
update look set sha256 = ? where identifier = ? and url = ?;

-- name: rechecks_of
-- Return the rechecks of the files of an item.
select * from look where identifier = ? order by url;

-- name: rechecks_schedule
-- Store another period of the files of a source. Asked and missing files stay due; no other one becomes overdue.
update look set every = :every, due = case
  when due = 0 or (failures > 0 and due < :never) then due
  when :every = 0 then :never
  when looked_at + :every - (looked_at - (share * :every / :shares)) % max(:every, 1) > :at
    then looked_at + :every - (looked_at - (share * :every / :shares)) % max(:every, 1)
  else :at + :every - (:at - (share * :every / :shares)) % max(:every, 1) end
where source = :source and every <> :every;

-- name: rechecks_asked
-- Return whether files of a source were asked for and not yet looked at.
select exists (select 1 from look where source = ? and due = 0);

-- name: rechecks_ask
-- Make the files of a source due that were not looked at since a second.
update look set due = 0 where source = ? and looked_at < ?;

-- name: rechecks_next
-- Return when the next file of a source is due.
select due from look where source = ? order by due limit 1;

-- name: rechecks_next_of_all
-- Return when the next file of each source is due: one step in the index for each.
with recursive found (name) as (
  select min(source) from look
  union all
  select (select min(source) from look where source > found.name) from found where found.name is not null
)
select name, (select min(due) from look where source = found.name) from found where name is not null;

-- name: rechecks_hosts
-- Return the hosts of the files of a source that are due.
select distinct host from look where source = ? and due <= ? order by host;

-- name: rechecks_due
-- Return files of a source at a host that are due, in the order of their time, after one of them.
select * from look where source = ? and host = ? and due <= ? and (due, identifier, url) > (?, ?, ?)
order by due, identifier, url limit ?;

-- name: rechecks_count
-- Return how many files of a source are known, are due, were not there, and could not be looked at.
select count(*), count(*) filter (where due <= ?2), count(*) filter (where failures > 0),
  count(*) filter (where failures = 0 and failing_since > 0) from look where source = ?1;

-- name: recheck_unseen
-- Return the file of a source that could not be rechecked for the longest time.
select * from look where source = ? and failures = 0 and failing_since > 0
order by failing_since, identifier, url limit 1;

-- name: rechecks_failing
-- Return items of a source with a file at a host that was not there, or could not be rechecked, at the last recheck.
select distinct identifier from look where source = ? and host = ? and failing_since > 0 order by identifier limit ?;

-- name: story_put
-- Store the story of a search again after a file of it has changed. A search in progress loses its lease.
update search set story = :story, changed = changed + 1,
  state = case state when 'leased' then 'due' else state end, due = case state when 'leased' then :at else due end,
  lease = lease + case state when 'leased' then 1 else 0 end,
  tries = case state when 'leased' then max(tries - 1, 0) else tries end
where identifier = :identifier;

-- name: outcome_put
-- Store another outcome of a search, as a file of it was judged again.
update search set outcome = ? where identifier = ?;

-- name: stamping_hosts
-- Return the hosts that stamp each download.
select name from stamping_host;

-- name: stamping_host_add
-- Note that a host stamps each download.
insert into stamping_host values (?, ?) on conflict do nothing;
