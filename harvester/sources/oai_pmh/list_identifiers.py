"""ListIdentifiers, from its first request to its end, behind the place where it broke off, and in parts.

A sweep and the check of a list use it. A list that changed while it was read is read once more in parts that no record
can join. A record keeps its datestamp until it changes. So records that are dated before the list began can only
disappear: they are deleted, or they change and come with the next harvest. A part is shown to be whole in one of three
ways. First, it is one answer that is not full. Second, its number is announced from its first answer to its last.
Third, two walks name the same records. Later records come again with the next harvest; they are a doubt only where two
walks name the same ones, and these are cut or fewer than announced.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from urllib.parse import quote

from gateway.core.errors import NotOaiPmh, RemoteError
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, moment_of
from harvester.sources.budget import Spender
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import NEVER, Window, halves
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.requests import Server, granularity_of
from harvester.sources.seen import Seen

LOOPS = "ListIdentifiers loops and would never end."


_MOST_STALE_PAGES = 10  # in a row that name nothing new, each with a further token


class IdentifierPages:
    """The pages of ListIdentifiers, and what is known of the list after each of them.

    `page` is the last answer. `has_ended`: the list came to its end. `loops`: it would never end. `breaks_off`: it
    ended otherwise than the standard says (OAI-PMH 2.0 §3.5), so it may not be all; `is_unread`: with something that
    is not understood. `is_open`: no number shows its end, either. `has_slipped`: a record came twice with two dates.
    It moved meanwhile, so another record may have moved to a page that was read. A tombstone beside its living record
    is no such move; `twins` counts these. `largest` is the number of identifiers in the largest answer.
    """

    def __init__(self, server: Server, state: ListState) -> None:
        """Take the window in which `state` stands."""
        self._server = server
        self._state = state.moved(token="")
        self._has_other_way = True
        self._tokens: set[str] = set()
        self._dated = Seen()
        self.order = DateOrder()
        self._announced_first: int | None = None
        self._answers = 0  # with identifiers
        self.identifiers = Seen()
        self.announced: int | None = None
        self.page: RawPage | None = None
        self.largest = self.twins = 0
        self._deleted = Seen()
        self._began: int | None = None  # the second of the first answer
        self.has_ended = self.loops = self.has_slipped = self.breaks_off = self.is_unread = False

    def answers(self) -> Iterator[ListAnswer]:
        """Ask for every page, and yield each answer after it was counted.

        Raise RemoteError for errors that do not mean the end, and what asking raises.
        """
        stale_pages = 0
        while not (self.has_ended or self.loops):
            answer = self._asked()
            if answer is None:
                continue
            before = len(self.identifiers)
            self._count(answer)
            token = answer.token.text if answer.token else ""
            stale_pages = 0 if len(self.identifiers) > before else stale_pages + 1
            self.has_ended = not token or (stale_pages > 0 and self._is_past())
            is_continued = bool(self._state.position.token)
            is_empty = is_continued and not answer.slices  # an answer to a token has records
            is_strange = is_empty or answer.is_strange_end(is_continued=is_continued)
            self.breaks_off = self.has_ended and is_strange and not self._is_counted
            self.is_unread = self.breaks_off and bool(answer.unknown)
            self.loops = not self.has_ended and (token in self._tokens or stale_pages == _MOST_STALE_PAGES)
            self._tokens.add(token)
            self._state = self._state.moved(token=token)
            yield answer

    @property
    def is_open(self) -> bool:
        """Return whether it has ended, and no number shows that this was its end."""
        return self.has_ended and (self.breaks_off or (self.announced is None and self._answers > 0))

    def shows_end(self, full: int) -> bool:
        """Return whether it has named all, behind a list that broke off: full answers have `full` identifiers.

        It ended as it should, or in one answer that is not full. One full answer may be cut, whatever follows it.
        """
        is_shown = self.largest < full if self._answers == 1 else not self.breaks_off
        return self.has_ended and is_shown

    def rest(self, window: Window) -> Window | None:
        """Return the part of `window` from the last identifier on; None where their dates are in no order."""
        return self.order.rest(window)

    @property
    def _is_counted(self) -> bool:
        """Return whether a number shows the end: the same from the first answer to the last, and not of one answer."""
        return self._answers > 1 and self._announced_first == self.announced and self.names(self.announced)

    def names(self, number: int | None) -> bool:
        """Return whether it has named as many records as a number says, or as many with its tombstones beside them."""
        return number in (len(self.identifiers), len(self.identifiers) + self.twins)

    def _asked(self) -> ListAnswer | None:
        """Return the next page; None when its token was refused and is sent once more in another encoding."""
        token = self._state.position.token
        self.page, answer, _ = self._server.list_page(self._state, "ListIdentifiers", token)
        is_end = {code for code, _ in answer.errors} <= {"noRecordsMatch"} or (token and self._is_past())
        if answer.slices or is_end:
            return answer
        if not (token and self._has_other_way and quote(token, safe="") != token):
            raise RemoteError(tuple((f"ListIdentifiers: {code}", text) for code, text in answer.errors))
        self._has_other_way = False
        self._state = self._state.learning(is_verbatim=not self._state.profile.is_verbatim)
        return None

    def _is_past(self) -> bool:
        """Return whether as many were named as were announced: some servers refuse the token after the last page."""
        return self.announced is not None and len(self.identifiers) + self.twins >= self.announced

    def _count(self, answer: ListAnswer) -> None:
        if answer.token and answer.token.complete_list_size is not None:
            self.announced = answer.token.complete_list_size
            self._announced_first = self.announced if self._announced_first is None else self._announced_first
        self._answers += bool(answer.slices)
        self.largest = max(self.largest, len(answer.slices))
        self.order.add(answer.slices)
        self._began = moment_of(answer.response_date) if self._began is None else self._began
        for record in answer.slices:
            was_deleted = record.identifier in self._deleted
            if record.is_deleted:
                self._deleted.add(record.identifier)
            is_new = self.identifiers.add(record.identifier)
            is_newly_dated = self._dated.add(f"{record.identifier}\0{record.datestamp}")
            if not is_new and was_deleted != record.is_deleted and is_before(record, self._began):
                self.twins += 1
            else:
                self.has_slipped = self.has_slipped or (is_newly_dated and not is_new)


def is_before(record: Slice, began: int | None) -> bool:
    """Return whether a record is dated before the second or the day in which a list began: it has not moved since."""
    dated = moment_of(record.datestamp)
    return dated is not None and began is not None and record.datestamp < utc_datetime(began)[: len(record.datestamp)]


# --- The order of the dates in a list of identifiers ------------------------------------------------------------------


class DateOrder:
    """The order of the datestamps so far: the oldest first, the newest first, or none."""

    def __init__(self) -> None:
        self.first: int | None = None  # in seconds since 1970, like `last`
        self.last: int | None = None
        self._rises = self._falls = True

    def add(self, slices: tuple[Slice, ...]) -> None:
        """Add the identifiers of one answer. One whose datestamp cannot be read ends the order."""
        for record in slices:
            moment, last = moment_of(record.datestamp), self.last
            self.first = moment if self.first is None else self.first
            self._rises = self._rises and moment is not None and (last is None or last <= moment)
            self._falls = self._falls and moment is not None and (last is None or last >= moment)
            self.last = moment

    def rest(self, window: Window) -> Window | None:
        """Return the part of `window` from the last datestamp on; None where there is no order."""
        if self.last is None or not (self._rises or self._falls):
            return None
        last = utc_datetime(self.last)
        return Window(last, window.until) if self._rises else Window(window.from_, last)


def broken_off(count: int) -> str:
    """Return the sentence for a list of so many identifiers whose end nothing shows."""
    return f"ListIdentifiers breaks off after {count} records, so it does not show that these are all."


class IdentifiersBehindBreak:
    """What is named from the last date of a list that broke off, and again from there while this breaks off, too.

    `is_end_shown`: the last question named some of the identifiers and nothing new, and ended properly or in one answer
    that was not full. A list out of the order of its dates is not asked for.
    """

    def __init__(self, pages: IdentifierPages, window: Window, ask: Callable[[Window], IdentifierPages]) -> None:
        self._known, self._full, self._ask = pages.identifiers, pages.largest, ask
        self._rest = pages.rest(window)
        self.is_end_shown = False

    def answers(self) -> Iterator[ListAnswer]:
        """Yield every answer.

        Raise NotOaiPmh for losses and for records of other dates than were asked for, and what asking raises.
        """
        while self._rest is not None:
            rest, known = self._rest, len(self._known)
            pages = self._ask(rest)
            for answer in pages.answers():
                check_names(answer, rest)
                for record in answer.slices:
                    self._known.add(record.identifier)
                yield answer
            self._full = max(self._full, pages.largest)
            is_some = len(self._known) == known and 0 < len(pages.identifiers) < known
            self.is_end_shown = is_some and pages.shows_end(self._full)
            following = pages.rest(rest)
            self._rest = following if pages.has_ended and not self.is_end_shown and following != rest else None


def check_names(answer: ListAnswer, window: Window) -> None:
    """Raise NotOaiPmh for losses, and for records that are not dated in a window."""
    if answer.losses:
        raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
    from_, until = moment_of(window.from_), moment_of(window.until)
    dates = [moment_of(record.datestamp) for record in answer.slices]
    first, last = -NEVER if from_ is None else from_, NEVER if until is None else until
    if any(date is None or not first <= date <= last for date in dates):
        raise NotOaiPmh(f"ListIdentifiers names what is not dated {window.in_words}.")


_DAY_SECONDS = 86_400
_WALKS = 2  # of a part that its numbers do not show to be whole
_MOST_WALKS = 100  # for each part at the beginning: two for each of the 31 halves down to a second, and as many beside
# Of the names in all parts that are still announced behind them; less is the number of something else.
LEAST_SHARE = 0.8


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

    def __init__(
        self,
        server: Server,
        fetch: Spender,
        state: ListState,
        dated: Datestamps,
        take: Callable[[tuple[Slice, ...]], None],
    ) -> None:
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
        every = self.pages(Window(here.from_, utc_datetime(self.last)))
        next(every.answers(), None)  # the first answer says how many records there are now
        self._fetch.spare()
        self.announced = every.announced
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

    def pages(self, window: Window) -> IdentifierPages:
        """Return the pages of ListIdentifiers between other dates."""
        return IdentifierPages(self._server, self._state.moved(window=str(window)))
