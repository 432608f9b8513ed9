"""The periods of Change Lists: the changes of a day, or a part of them. Only the last one is open.

The open one is always at the same address, so that a destination can poll it, and a hub can have it as a topic. When it
is closed, its list is at an address of its own, and an open one begins where it ends.

Everything that a period has is below the horizon, so its bounds never change, and are remembered. A day is one period.
If it has too many changes, its parts follow each other by the keys of the changes.
"""

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from gateway.core.model import Selection
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync.addresses import ResourceSet
from gateway.store.base import View

MOST_ENTRIES: Final = 10_000  # a document may have 50,000 and 50 MB; one of ours has some 5 MB
OPEN: Final = "open"  # the name of the open period
_DAY_SECONDS: Final = 86_400

ChangeKey: TypeAlias = tuple[int, int]  # datestamp and number of a change
_BEFORE_ALL: Final[ChangeKey] = (0, 0)


class Period(NamedTuple):
    """One Change List: its name, and its times `from` and `until` in seconds since 1970; None: it is open.

    Its changes are those of the seconds `first` to `last` after the key `after`, at most `MOST_ENTRIES`.
    """

    name: str
    from_: int
    until: int | None
    first: int
    last: int
    after: ChangeKey


def periods(
    days: Iterable[tuple[int, int]], ends: Callable[[int, int], Iterable[ChangeKey]], begin: int, last: int
) -> Iterator[Period]:
    """Yield the periods of the days, given as (first second, how many changes), in the order of time.

    `ends` returns the keys of the last changes of all parts of a day but the last. The first period is from `begin`; no
    change is later than `last`.
    """
    given = list(days)
    from_ = begin
    for place, (day, count) in enumerate(given):
        after = _BEFORE_ALL
        end_of_day = day + _DAY_SECONDS if place + 1 < len(given) else None
        for number, end in enumerate((*ends(day, count), None)):
            until = end[0] if end else end_of_day
            name = OPEN if until is None else utc_datetime(day)[:10] + (f".{number + 1}" if number else "")
            yield Period(name, from_, until, max(day, begin), min(day + _DAY_SECONDS - 1, last), after)
            from_, after = until or from_, end or after


class Periods:
    """The periods of all sets of resources, as one process knows them."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self.most_entries = most_entries
        self._days: dict[ResourceSet, list[tuple[int, int]]] = {}  # without the last one, which may still grow
        self._ends: dict[tuple[ResourceSet, int], list[ChangeKey]] = {}
        self._lock = Lock()

    def of(self, view: View, resources: ResourceSet) -> tuple[Period, ...]:
        """Return all periods that have changes below the horizon, in the order of time; the last one is open."""
        begin, last = view.changes_from(), view.horizon - 1
        with self._lock:
            known = self._days.setdefault(resources, [])
            start = known[-1][0] + _DAY_SECONDS if known else begin
            fresh = view.change_days(Selection(resources.metadata_prefix, resources.selected, start, last))
            known += fresh[:-1]

            def ends(day: int, count: int) -> list[ChangeKey]:
                within = Selection(resources.metadata_prefix, resources.selected, max(day, begin), last)
                return self._ends_of(view, resources, within, day, count)

            return tuple(periods((*known, *fresh[-1:]), ends, begin, last))

    def named(self, view: View, resources: ResourceSet, name: str) -> Period | None:
        """Return the period with a name, or None if there is none."""
        return next((period for period in self.of(view, resources) if period.name == name), None)

    def _ends_of(self, view: View, resources: ResourceSet, within: Selection, day: int, count: int) -> list[ChangeKey]:
        ends = self._ends.setdefault((resources, day), [])
        while (len(ends) + 1) * self.most_entries < count:
            end = view.change_key(within, (len(ends) + 1) * self.most_entries - 1)
            assert end is not None, "so many changes were counted"
            ends.append(end)
        return ends
