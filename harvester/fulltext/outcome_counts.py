"""How the steps and copies of a search ended, as counted by source, step, host and day.

A host that redirects to another one has a count of its own: of the ends to which it led. So a host that redirects all
to a login has failures.
"""

from collections.abc import Iterator

from gateway.core.model import Candidate, Ending
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import SearchResult
from harvester.http.urls import host_of

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
