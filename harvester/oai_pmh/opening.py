"""The first request of a part, where it is not taken as it is: in the other granularity, without dates, with some."""

from __future__ import annotations

from dataclasses import replace

from gateway.errors import DatesRefused, RemoteError
from gateway.model import RawPage
from harvester.oai_pmh.descent import one_rung_down
from harvester.oai_pmh.ladder import entered
from harvester.oai_pmh.walk import Walk, span
from harvester.sources import Options, Step
from harvester.wire.dates import DAY, SECONDS, written
from harvester.wire.list_state import Dates, ListState
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.windows import Window


def asked_otherwise(walk: Walk, codes: frozenset[str], answer: ListAnswer, page: RawPage) -> Step:
    """Ask at the other granularity, once: some servers announce one and take only the other.

    What has changed since the last list is asked for without dates at last: some have no selective harvest (zvdd.org).
    """
    has_dates = "badArgument" in codes and any(walk.state.here) and walk.state.dates != Dates.REFUSED
    if has_dates and not walk.has_other_granularity:
        walk.has_other_granularity = True
        other = SECONDS if walk.granularity() == DAY else DAY
        walk.notes.append(f"The dates were refused; they were sent again as {other}.")
        walk.state = replace(walk.state, granularity=other)
        return walk.step(page)
    if walk.state.window:
        return one_rung_down(walk, RemoteError(answer.errors), page)
    if has_dates and not _wants_dates(walk.options):
        walk.notes.append(f"{RemoteError(answer.errors)} The whole list is asked for, without dates.")
        walk.state = replace(walk.state, granularity="", dates=Dates.REFUSED.value, ignores_dates=True)
        return walk.step(page)
    raise (DatesRefused if has_dates else RemoteError)(answer.errors)


def _wants_dates(options: Options) -> bool:
    """Tell whether the dates that were sent are an administrator's wish."""
    return options.window is not None or bool(options.from_ or options.until)


def is_to_be_dated(state: ListState) -> bool:
    """Tell whether nothing may have come because no dates were given: as long as nothing ever came without."""
    is_open = not (state.token or state.window or any(state.whole))
    return is_open and state.dates != Dates.OPTIONAL


def asked_with_dates(walk: Walk, answer: ListAnswer, page: RawPage) -> Step:
    """Ask again with dates: some servers find nothing without (LearningRegistry#60).

    What is called the earliest datestamp is not believed: what is older is asked for as well.
    """
    walk.notes.append("Nothing matches without dates; the same is asked for with some.")
    earliest, _ = span(*walk.identified(RemoteError(answer.errors), is_fresh=False))
    before, since = Window(until=written(earliest - 1, SECONDS)), Window(from_=written(earliest, SECONDS))
    walk.state = entered(replace(walk.state, dates=Dates.NEEDED.value), since, before)
    walk.arrivals.begin_part()
    return walk.step(page)
