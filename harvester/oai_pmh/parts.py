"""A list of names that changes while it is read, read once more in parts to which nothing can be added.

A record keeps its date as long as it stays as it is. So of what is dated before the list began, records only go: they
are deleted, or changed, and come with the next harvest. A part is shown to be whole by one answer that is not full, by
a number that is announced from its first answer to its last, or by two walks that name the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace

from gateway.errors import NotOaiPmh
from gateway.model import Cursor, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.naming import Naming
from harvester.oai_pmh.requests import granularity_of
from harvester.sources import Options
from harvester.sources._asking import PATIENCE
from harvester.sources._budget import Spender
from harvester.wire.dates import DAY, moment_of
from harvester.wire.list_state import Dates, ListState
from harvester.wire.windows import Window, halves

_DAY_SECONDS = 86_400
_WALKS = 2  # of a part that its numbers do not show to be whole
_MOST_WALKS = 100  # for each part at the beginning: two for each of the 31 halves down to a second, and as many beside
LEAST_SHARE = (
    0.8  # of the names in all parts that are still announced behind them; less is the number of something else
)

Take = Callable[[tuple[Slice, ...]], None]


class Dated:
    """The dates of what was named, and how many names the largest answer had."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._moments = array("q")
        self.is_known = True  # each name has a date that can be read
        self.most = 0

    def add(self, slices: tuple[Slice, ...]) -> None:
        """Take the names of one answer."""
        self.most = max(self.most, len(slices))
        moments = [moment_of(each.datestamp) for each in slices]
        found = [each for each in moments if each is not None]
        self.is_known = self.is_known and len(found) == len(moments)
        self._moments.extend(found)

    @property
    def earliest(self) -> int:
        """The least date."""
        return min(self._moments, default=0)

    def parts(self, window: Window, last: int, unit: int) -> list[Window]:
        """Divide a window up to a second into parts whose names fit into one answer each."""
        begin = moment_of(window.from_)
        moments = sorted(each for each in self._moments if each <= last)
        size = max(1, self.most - self.most // 4)
        cuts = dict.fromkeys(moments[at] // unit * unit for at in range(size, len(moments), size))
        begins = [window.from_, *(utc_datetime(each) for each in cuts if begin is None or each > begin)]
        ends = [*(utc_datetime(each - 1) for each in cuts if begin is None or each > begin), utc_datetime(last)]
        return [Window(*each) for each in zip(begins, ends, strict=True)]


class Parts:
    """Reads in parts what is dated before a list began. `count` is how many names all of them have.

    `take` is given the names of every answer. `announced` is how many records the source announces of it in the end.
    """

    def __init__(
        self, options: Options, cursor: Cursor, fetch: Spender, state: ListState, dated: Dated, take: Take
    ) -> None:
        """Take the list, the window in which `state` stands, and the dates of what was named there."""
        self._options, self._cursor, self._fetch, self._state = options, cursor, fetch, state
        self._dated, self._take = dated, take
        self.granularity = granularity_of(options, state)
        self.unit = _DAY_SECONDS if self.granularity == DAY else 1
        self.count = self.number = self._left = 0
        self.announced: int | None = None

    @property
    def last(self) -> int:
        """The last second before the list began, in its granularity; the next harvest asks for the rest."""
        until = moment_of(self._state.here.until)
        last = self._state.first // self.unit * self.unit - 1
        return last if until is None else min(last, until)

    @property
    def can_be_read(self) -> bool:
        """Tell whether the source looks at dates, and names some before the list began."""
        state = self._state
        looks_at_dates = not (state.ignores_dates or state.dates == Dates.REFUSED)
        begin = moment_of(state.here.from_)
        is_some = state.first > 0 and (begin is None or begin <= self.last)
        return looks_at_dates and is_some and self._dated.is_known and self._dated.most > 0

    @property
    def keeps_its_number(self) -> bool:
        """Tell whether the source announces as many as were named, or fewer, because some have gone since."""
        return self.announced is not None and LEAST_SHARE * self.count <= self.announced <= self.count

    def read(self) -> bool:
        """Read every part, and what is dated later; tell whether each part is shown to be whole.

        Raise NotOaiPmh for losses, and what asking raises.
        """
        here = self._state.here
        windows = self._dated.parts(here, self.last, self.unit)
        self._left = _MOST_WALKS * len(windows)
        for window in windows:
            if not self._is_read(window):
                return False
        later = utc_datetime(self.last + 1)
        if not here.until or later <= here.until:
            self._walked(Window(later, here.until))
        self._ask_number(Window(here.from_, utc_datetime(self.last)))
        return True

    def _is_read(self, window: Window) -> bool:
        """Read one part, in smaller ones where it does not stand still."""
        before: frozenset[str] | None = None
        for _ in range(_WALKS):
            self._left -= 1
            if self._left < 0:
                raise NotOaiPmh(
                    "ListIdentifiers names more and more in smaller and smaller parts: there is no end of it."
                )
            names, is_whole, is_full = self._walked(window)
            if is_whole or (names == before and not is_full):
                self.count += len(names)
                self.number += 1
                return True
            before = names
        smaller = halves(window, self.granularity, self._dated.earliest, self.last)
        return smaller is not None and all(map(self._is_read, smaller))

    def _walked(self, window: Window) -> tuple[frozenset[str], bool, bool]:
        """Return what is named in a window, and whether its numbers show that this is all.

        The last tells whether that is one full answer: it may be cut there, each time.
        """
        naming, names, answers = self._naming(window), set[str](), 0
        sizes: set[int | None] = set()
        for answer in naming.answers():
            self._fetch.spare()
            if answer.losses:
                raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
            if not all(_is_in(window, each) for each in answer.slices):
                raise NotOaiPmh(f"ListIdentifiers names what is not dated {window.in_words}.")
            self._take(answer.slices)
            answers += 1
            names.update(each.identifier for each in answer.slices)
            sizes.add(answer.token.complete_list_size if answer.token else None)
        is_full = len(names) >= self._dated.most
        is_shown = (answers == 1 and not is_full) or sizes == {len(names)}
        return frozenset(names), naming.has_ended and is_shown, answers == 1 and is_full

    def names(self, window: Window, identifier: str) -> bool:
        """Tell whether a record is named in a window now. Raise NotOaiPmh for losses, and what asking raises."""
        names, _, _ = self._walked(window)
        return identifier in names

    def _ask_number(self, window: Window) -> None:
        """Ask how many there are now, with the first answer of all parts together."""
        naming = self._naming(window)
        next(naming.answers(), None)
        self._fetch.spare()
        self.announced = naming.announced

    def _naming(self, window: Window) -> Naming:
        state = replace(self._state, window=str(window))
        return Naming(self._options, self._cursor, self._fetch, state, PATIENCE)


def _is_in(window: Window, named: Slice) -> bool:
    moment, from_, until = (moment_of(each) for each in (named.datestamp, window.from_, window.until))
    return moment is not None and (from_ is None or from_ <= moment) and (until is None or moment <= until)
