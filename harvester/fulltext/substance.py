"""Counts how steps and copies of searches ended; alarms of a share of successes that fell more than chance explains.

The last week is compared with the eight weeks before, for each source, step and host, by Fisher's exact test of the two
periods: less than 1 of 1,000,000 cases, of at least 30 attempts. So alarms begin some days after an upgrade. An alarm
is closed when the share is again what it was before the fall. So is one whose step or host is not used any more. One
that a person has acknowledged is also closed after nine weeks. If the share has fallen again since, a new one opens
instead.

A host that redirects to another one has a count of its own: of the ends to which it led. So a host that redirects all
to a login has failures.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from math import exp, lgamma
from typing import NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.model import Alarm, Candidate, Ending, Outcome, SearchState
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import RECHECK, SearchResult
from gateway.fulltext.stored_search import candidates_of, traces_of
from gateway.store.base import Discovery
from harvester.http.urls import host_of

_RECENT_DAYS = 7
_EARLIER_DAYS = 56
_COMPARED_DAYS = _RECENT_DAYS + _EARLIER_DAYS
_KEPT_DAYS = _COMPARED_DAYS + 7  # older counts are added up by month
_LEAST_ATTEMPTS = 30
_MOST_CHANCE = 1e-6  # of a fall: what is less likely is an alarm
_RECOVERED_CHANCE = 0.01  # of the same fall: what is more likely is none
_EXAMPLES = 3
_MOST_SEARCHES = 2_000  # searches, for examples
_NEGLIGIBLE = 1e-17  # part of a sum

_SUCCESSES = frozenset({Outcome.SUCCESS, Outcome.FULL_TEXT_XML, Outcome.FULL_TEXT_HTML})
# Outcomes of what was not attempted: they say nothing of the host.
_UNTRIED = frozenset(
    {
        Outcome.ALREADY_HELD, Outcome.NO_DOI, Outcome.EMBARGOED_UNTIL, Outcome.POLICY_FORBIDS, Outcome.SKIP_HOST,
        Outcome.TAKEN_DOWN,
    }
)  # fmt: skip

_NO_FAILURES = _SUCCESSES | _UNTRIED

log = logging.getLogger("harvester")

DAY_SECONDS = 86_400
WAY = " way"  # after `step` or `copy`: the end was at another host, to which this one redirected


def endings(source: str, searched: SearchResult, at: int) -> Iterator[Ending]:
    """Yield how each step ended, and each copy at its host, of a search that ended in second `at`."""
    month, day = utc_datetime(at)[:7], at // DAY_SECONDS
    for trace in searched.traces:
        yield Ending(source, trace.step, trace.host, trace.outcome, month, "step", day)
        for host in trace.way:
            yield Ending(source, trace.step, host, trace.outcome, month, f"step{WAY}", day)
    for candidate in searched.candidates:
        if candidate.is_supplement:
            continue
        yield Ending(source, candidate.found_by, host_of_copy(candidate), candidate.outcome, month, "copy", day)
        for host in way_of_copy(candidate):
            yield Ending(source, candidate.found_by, host, candidate.outcome, month, f"copy{WAY}", day)


def host_of_copy(candidate: Candidate) -> str:
    """Return the host at which a copy was looked at."""
    return host_of(candidate.final_url or candidate.url)


def way_of_copy(candidate: Candidate) -> tuple[str, ...]:
    """Return the other hosts that led to the one at which a copy was looked at, in their order."""
    end = host_of_copy(candidate)
    return tuple(dict.fromkeys(host for hop in candidate.hops if (host := host_of(hop)) not in ("", end)))


class Kind(NamedTuple):
    """What is watched: a step at a host (`what` is `step`), or the copies of a step at a host (`copy`).

    What the host redirects elsewhere counts too: otherwise one that redirects all to a login would have no failures.
    """

    source: str
    step: str
    host: str
    what: str


class Periods(NamedTuple):
    """The outcomes of one kind: of the weeks before, and of the last days."""

    before: Counter[str]
    after: Counter[str]


def watch(discovery: Discovery, now: int) -> int:
    """Open and close alarms by the counts at a second since 1970; return how many are open.

    Repeating it changes nothing.
    """
    today = now // DAY_SECONDS
    discovery.add_up_endings(today - _KEPT_DAYS)
    known = {Kind(alarm.source, alarm.step, alarm.host, alarm.what): alarm for alarm in discovery.alarms()}
    falls: dict[Kind, Periods] = {}
    counted: dict[Kind, Periods] = {}  # of alarms in force
    active: set[str] = set()
    for _, group in groupby(discovery.endings(today - _COMPARED_DAYS + 1), lambda row: row[0][:3]):
        endings = tuple(group)
        for kind, counts in periods(endings, today).items():
            active.add(kind.source)
            if kind in known:
                counted[kind] = counts
            compared = _since_acknowledged(endings, known[kind], kind, today) if kind in known else counts
            if is_fall(*compared):
                falls[kind] = compared
    for kind, alarm in known.items():
        if now < alarm.opened_at:  # the clock was set back: these are the weeks before the fall
            falls.pop(kind, None)
        elif kind in falls or _is_over(alarm, counted.get(kind), today, is_active=alarm.source in active):
            discovery.close_alarm(alarm.number, now)
            log.info("Alarm %d is over: %s", alarm.number, sentence(alarm))
    for kind, counts in falls.items():
        _open(discovery, kind, counts, now)
    return sum(alarm.is_open for alarm in discovery.alarms())


def _open(discovery: Discovery, kind: Kind, counts: Periods, now: int) -> None:
    examples = _examples(discovery, kind, (now // DAY_SECONDS - _RECENT_DAYS + 1) * DAY_SECONDS)
    alarm = Alarm(0, *kind, now, dict(counts.before), dict(counts.after), examples)
    if discovery.open_alarm(alarm):
        log.warning("Alarm: %s `harvester alarms` shows it.", sentence(alarm))


def _since_acknowledged(endings: Iterable[tuple[Ending, int]], alarm: Alarm, kind: Kind, today: int) -> Periods:
    """Return the outcomes after the day on which a person acknowledged the alarm of a kind; none if nobody has."""
    last = alarm.acknowledged_at // DAY_SECONDS if alarm.acknowledged_at else today
    later = ((ending, count) for ending, count in endings if ending.day > last)
    return periods(later, today).get(kind, Periods(Counter(), Counter()))


def periods(endings: Iterable[tuple[Ending, int]], today: int) -> dict[Kind, Periods]:
    """Return the outcomes of each kind in the weeks before and in the last days; `today` is in days since 1970."""
    counted: defaultdict[Kind, Periods] = defaultdict(lambda: Periods(Counter(), Counter()))
    for ending, count in endings:
        age = today - ending.day
        if ending.day and ending.host and ending.what and 0 <= age < _COMPARED_DAYS:
            counts = counted[Kind(ending.source, ending.step, ending.host, ending.what.removesuffix(WAY))]
            (counts.after if age < _RECENT_DAYS else counts.before)[ending.outcome] += count
    return dict(counted)


def is_fall(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Return whether the share of successes has fallen more than chance explains, in enough attempts."""
    return _attempts(after) >= _LEAST_ATTEMPTS and chance(before, after) < _MOST_CHANCE


def chance(before: Mapping[str, int], after: Mapping[str, int]) -> float:
    """Return the probability of so few successes after, or fewer, if the share is the same in both periods.

    It is the lower tail of the hypergeometric distribution: the one-sided exact test of Fisher.
    """
    taken, succeeded = _attempts(after), _successes(after)
    attempts, successes = taken + _attempts(before), succeeded + _successes(before)
    if succeeded * attempts >= successes * taken:  # not fewer than expected
        return 1.0
    total = 0.0
    whole = _log_choose(attempts, taken)
    for count in range(succeeded, max(0, taken - (attempts - successes)) - 1, -1):
        part = exp(_log_choose(successes, count) + _log_choose(attempts - successes, taken - count) - whole)
        total += part
        if part <= total * _NEGLIGIBLE:  # below the mean, each part is smaller than the one before
            break
    return min(total, 1.0)


def sentence(alarm: Alarm) -> str:
    """Return an alarm in one sentence."""
    kind = "copies" if alarm.what == "copy" else "requests"
    shares = (
        f"{_successes(counts)} of {_attempts(counts)} {kind}{when}"
        for counts, when in ((alarm.after, " succeeded in a week"), (alarm.before, " in the eight weeks before"))
    )
    return f"{alarm.source}: the step {alarm.step} at {alarm.host}: {', '.join(shares)}."


def _is_over(alarm: Alarm, counts: Periods | None, today: int, *, is_active: bool) -> bool:
    """Return whether an alarm is over. `is_active`: something was searched for of its source in all these weeks."""
    if alarm.acknowledged_at and today - alarm.acknowledged_at // DAY_SECONDS >= _COMPARED_DAYS:
        return True
    if counts is None:  # the step or the host is not used any more; if nothing is searched for, nothing is known
        return is_active
    return _attempts(counts.after) >= _LEAST_ATTEMPTS and chance(alarm.before, counts.after) > _RECOVERED_CHANCE


def _examples(discovery: Discovery, kind: Kind, since: int) -> tuple[str, ...]:
    """Return the identifiers of some items whose last search failed so, or whose published file is not there."""
    if kind.step == RECHECK:
        return discovery.rechecks.failing(kind.source, kind.host, _EXAMPLES)
    try:
        searches = discovery.searched_since(kind.source, since, _MOST_SEARCHES)
    except StoreDamaged:  # an alarm without examples is better than none
        return ()
    failed = (state.identifier for state in searches if not _NO_FAILURES.issuperset(_outcomes(state, kind)))
    return tuple(islice(failed, _EXAMPLES))


def _outcomes(state: SearchState, kind: Kind) -> Iterator[Outcome]:
    if kind.what == "step":
        ended = ((trace.step, (trace.host, *trace.way), trace.outcome) for trace in traces_of(state))
    else:
        copies = candidates_of(state)
        ended = ((copy.found_by, (host_of_copy(copy), *way_of_copy(copy)), copy.outcome) for copy in copies)
    return (outcome for step, hosts, outcome in ended if step == kind.step and kind.host in hosts)


def _attempts(outcomes: Mapping[str, int]) -> int:
    return sum(count for outcome, count in outcomes.items() if outcome not in _UNTRIED)


def _successes(outcomes: Mapping[str, int]) -> int:
    return sum(count for outcome, count in outcomes.items() if outcome in _SUCCESSES)


def _log_choose(all_: int, some: int) -> float:
    return lgamma(all_ + 1) - lgamma(some + 1) - lgamma(all_ - some + 1)
