"""ListIdentifiers, read once more in parts that no record can join, because the list changed while it was read.

A record keeps its datestamp until it changes. So records that are dated before the list began can only disappear: they
are deleted, or they change and come with the next harvest. A part is shown to be whole in one of three ways. First, it
is one answer that is not full. Second, its number is announced from its first answer to its last. Third, two walks name
the same records. Later records come again with the next harvest; they are a doubt only where two walks name the same
ones, and these are cut or fewer than announced.
"""

from array import array
from collections.abc import Callable

from gateway.core.errors import NotOaiPmh
from gateway.core.model import Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, moment_of
from harvester.sources.budget import Spender
from harvester.sources.oai_pmh.date_ranges import Window, halves
from harvester.sources.oai_pmh.list_identifiers import IdentifierPages, check_names
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.requests import Server, granularity_of

_DAY_SECONDS = 86_400
_WALKS = 2  # of a part that its numbers do not show to be whole
_MOST_WALKS = 100  # for each part at the beginning: two for each of the 31 halves down to a second, and as many beside
LEAST_SHARE = (
    0.8  # of the names in all parts that are still announced behind them; less is the number of something else
)

Take = Callable[[tuple[Slice, ...]], None]


class Datestamps:
    """The datestamps of the identifiers, and how many identifiers the largest answer had."""

    def __init__(self) -> None:
        self._moments = array("q")
        self.earliest = 0  # in seconds since 1970
        self.is_known = True  # each datestamp can be read
        self.most = 0

    def add(self, slices: tuple[Slice, ...]) -> None:
        """Add the identifiers of one answer."""
        self.most = max(self.most, len(slices))
        moments = [moment_of(record.datestamp) for record in slices]
        known = [moment for moment in moments if moment is not None]
        self.is_known = self.is_known and len(known) == len(moments)
        self.earliest = min(known if not self._moments else (self.earliest, *known), default=0)
        self._moments.extend(known)

    def reach_back(self, slices: tuple[Slice, ...]) -> None:
        """Take the earliest datestamp of an answer to a later question, which may be earlier than all before."""
        self.earliest = min((self.earliest, *filter(None, (moment_of(record.datestamp) for record in slices))))

    def parts(self, window: Window, last: int, unit: int) -> list[Window]:
        """Divide a window that ends at the second `last` into parts whose identifiers fit into one answer each."""
        begin = moment_of(window.from_)
        moments = sorted(moment for moment in self._moments if moment <= last)
        size = max(1, self.most - self.most // 4)
        cuts = dict.fromkeys(moments[at] // unit * unit for at in range(size, len(moments), size))
        begins = [window.from_, *(utc_datetime(cut) for cut in cuts if begin is None or cut > begin)]
        ends = [*(utc_datetime(cut - 1) for cut in cuts if begin is None or cut > begin), utc_datetime(last)]
        return [Window(*bounds) for bounds in zip(begins, ends, strict=True)]


class Parts:
    """Read in parts what is dated before a list began. `count` is the number of identifiers in all parts.

    `take` is given the identifiers of every answer. `announced` is how many records the source announces of all parts
    when they have been read.
    """

    def __init__(self, server: Server, fetch: Spender, state: ListState, dated: Datestamps, take: Take) -> None:
        self._server, self._fetch, self._state = server, fetch, state
        self._dated, self._take = dated, take
        self.granularity = granularity_of(server.options, state)
        self.unit = _DAY_SECONDS if self.granularity == DAY else 1
        self.count = self.number = self._left = self._twins = self._twins_here = 0
        self.announced: int | None = None
        self._lacks = False  # the last window that was read announces more than it names

    @property
    def last(self) -> int:
        """The last second before the list began, in its granularity; the next harvest asks for the rest."""
        until = moment_of(self._state.here.until)
        last = self._state.position.first // self.unit * self.unit - 1
        return last if until is None else min(last, until)

    @property
    def can_take_dates(self) -> bool:
        """Return whether the source respects dates, as far as is known."""
        profile = self._state.profile
        return not (profile.ignores_dates or profile.dates == Dates.REFUSED)

    @property
    def can_be_read(self) -> bool:
        """Return whether the source respects dates, and names records that are dated before the list began."""
        state = self._state
        begin = moment_of(state.here.from_)
        is_some = state.position.first > 0 and (begin is None or begin <= self.last)
        return self.can_take_dates and is_some and self._dated.is_known and self._dated.most > 0

    @property
    def keeps_its_number(self) -> bool:
        """Return whether the source announces as many as were named, or fewer because some were deleted since."""
        return self.announced is not None and LEAST_SHARE * self.count <= self.announced <= self.count

    def read(self) -> bool:
        """Read every part, and all later records; return whether each part is shown to be whole.

        Raise NotOaiPmh for losses, and what asking raises.
        """
        here = self._state.here
        windows = self._dated.parts(here, self.last, self.unit)
        self._left = _MOST_WALKS * len(windows)
        for window in windows:
            if not self._is_read(window):
                return False
        later = Window(utc_datetime(self.last + 1), here.until)
        if (not here.until or later.from_ <= here.until) and self._hides(later):
            return False
        self._ask_number(Window(here.from_, utc_datetime(self.last)))
        least = (self.announced or 0) * (1 - self._server.options.announced_tolerance)
        return least <= self.count + self._twins  # nothing can have joined them since

    def _is_read(self, window: Window) -> bool:
        """Read one part, and divide it where it changes while it is read."""
        before: frozenset[str] | None = None
        for _ in range(_WALKS):
            self._left -= 1
            if self._left < 0:
                raise NotOaiPmh(
                    "ListIdentifiers names more and more in smaller and smaller parts: there is no end of it."
                )
            names, is_whole, is_full = self._read_window(window)
            if is_whole or (names == before and not is_full):
                self.count += len(names)
                self._twins += self._twins_here
                self.number += 1
                return True
            before = names
        smaller = halves(window, self.granularity, self._dated.earliest, self.last)
        return smaller is not None and all(map(self._is_read, smaller))

    def _hides(self, window: Window) -> bool:
        """Read a window, and return whether it names the same records twice, and these are not all: nothing changed."""
        before, is_whole, _ = self._read_window(window)
        if is_whole:
            return False
        names, is_whole, is_cut = self._read_window(window)
        return names == before and not is_whole and (is_cut or self._lacks)

    def _read_window(self, window: Window) -> tuple[frozenset[str], bool, bool]:
        """Return the identifiers in a window, whether these are shown to be all, and whether it is one full answer.

        A full answer, and a list that breaks off, may be cut at the same place each time.
        """
        pages, names, answers = self.pages(window), set[str](), 0
        sizes: set[int | None] = set()
        for answer in pages.answers():
            self._fetch.spare()
            check_names(answer, window)
            self._take(answer.slices)
            self._dated.reach_back(answer.slices)
            answers += bool(answer.slices)
            names.update(record.identifier for record in answer.slices)
            sizes.add(answer.token.complete_list_size if answer.token else None)
        self._lacks, self._twins_here = (pages.announced or 0) > len(names) + pages.twins, pages.twins
        is_full = pages.largest >= self._dated.most
        is_shown = (answers <= 1 and not is_full) or (sizes == {len(names)} and not pages.breaks_off)
        is_cut = pages.breaks_off or (answers == 1 and is_full)
        return frozenset(names), pages.has_ended and is_shown, is_cut

    def names(self, window: Window, identifier: str) -> bool:
        """Return whether a record is named in a window now. Raise NotOaiPmh for losses, and what asking raises."""
        names, _, _ = self._read_window(window)
        return identifier in names

    def _ask_number(self, window: Window) -> None:
        """Ask how many records there are now: the first answer for all parts together says it."""
        pages = self.pages(window)
        next(pages.answers(), None)
        self._fetch.spare()
        self.announced = pages.announced

    def pages(self, window: Window) -> IdentifierPages:
        """Return the pages of ListIdentifiers between other dates."""
        return IdentifierPages(self._server, self._state.moved(window=str(window)))
