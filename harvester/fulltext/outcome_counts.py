"""How the steps and copies of a search ended, as counted by source, step, host and month."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.fulltext.search_result import SearchResult
from gateway.model import Ending
from gateway.xmltext import utc_datetime
from harvester.http.urls import host_of


def endings(source: str, searched: SearchResult, at: int) -> Iterator[Ending]:
    """Yield how each step ended, and each copy at its host, of a search that ended in second `at`."""
    month = utc_datetime(at)[:7]
    for trace in searched.traces:
        yield Ending(source, trace.step, trace.host, trace.outcome, month, "step")
    for candidate in searched.candidates:
        yield Ending(
            source, candidate.found_by, host_of(candidate.final_url or candidate.url), candidate.outcome, month, "copy"
        )
