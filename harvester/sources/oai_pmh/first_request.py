"""The first request of a part where it is refused: in the other granularity, without dates, or with dates."""

from __future__ import annotations

from gateway.errors import DatesRefused, RemoteError
from gateway.model import RawPage
from harvester.http.dates import DAY, SECONDS, written
from harvester.sources import Options, Step
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.take_fallback import take_fallback
from harvester.sources.oai_pmh.transitions import enter_window
from harvester.sources.oai_pmh.walk import Walk, span


def retry_first_request(walk: Walk, codes: frozenset[str], answer: ListAnswer, page: RawPage) -> Step:
    """Ask once in the other granularity: some servers announce one and accept only the other.

    If that is refused, too, the whole list is requested without dates: some sources have no selective harvesting
    (zvdd.org). Raise DatesRefused for refused dates that the run or the configuration states, RemoteError for other
    errors. In a window, raise RemoteError only when the source does not even answer Identify.
    """
    has_dates = "badArgument" in codes and any(walk.state.here) and walk.state.profile.dates != Dates.REFUSED
    if has_dates and not walk.has_other_granularity:
        walk.note_other_granularity()
        other = SECONDS if walk.granularity() == DAY else DAY
        walk.note(f"The dates were refused; they were sent again as {other}.")
        walk.change(walk.state.learning(granularity=other))
        return walk.step(page)
    if walk.state.position.window:
        return take_fallback(walk, RemoteError(answer.errors), page)
    if has_dates and not _has_own_dates(walk.options):
        walk.note(f"{RemoteError(answer.errors)} The whole list is asked for, without dates.")
        walk.change(walk.state.learning(granularity="", dates=Dates.REFUSED.value, ignores_dates=True))
        return walk.step(page)
    raise (DatesRefused if has_dates else RemoteError)(answer.errors)


def _has_own_dates(options: Options) -> bool:
    """Return whether the dates that were sent come from the entry or the command."""
    return options.window is not None or bool(options.from_ or options.until)


def may_need_dates(state: ListState) -> bool:
    """Return whether the list may be empty only because no dates were sent: no record ever came without dates."""
    is_open = not (state.position.token or state.position.window or any(state.position.whole))
    return is_open and state.profile.dates != Dates.OPTIONAL


def retry_with_dates(walk: Walk, answer: ListAnswer, page: RawPage) -> Step:
    """Ask again with dates: some servers find nothing without them (LearningRegistry#60).

    The earliestDatestamp is not trusted: older records are requested as well. Raise RemoteError when the source does
    not even answer Identify.
    """
    walk.note("Nothing matches without dates; the same is asked for with some.")
    earliest, _ = span(*walk.identified(RemoteError(answer.errors), is_fresh=False))
    before, since = Window(until=written(earliest - 1, SECONDS)), Window(from_=written(earliest, SECONDS))
    walk.begin_part(enter_window(walk.state.learning(dates=Dates.NEEDED.value), since, before))
    return walk.step(page)
