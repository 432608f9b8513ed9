"""How the steps and copies of a search ended, as counted by source, step, host and day."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.fulltext.search_result import SearchResult
from gateway.model import Candidate, Ending
from gateway.xmltext import utc_datetime
from harvester.http.urls import host_of

DAY_SECONDS = 86_400


def endings(source: str, searched: SearchResult, at: int) -> Iterator[Ending]:
    """Yield how each step ended, and each copy at its host, of a search that ended in second `at`."""
    month, day = utc_datetime(at)[:7], at // DAY_SECONDS
    for trace in searched.traces:
        yield Ending(source, trace.step, trace.host, trace.outcome, month, "step", day)
    for candidate in searched.candidates:
        yield Ending(source, candidate.found_by, host_of_copy(candidate), candidate.outcome, month, "copy", day)


def host_of_copy(candidate: Candidate) -> str:
    """Return the host at which a copy was looked at."""
    return host_of(candidate.final_url or candidate.url)
