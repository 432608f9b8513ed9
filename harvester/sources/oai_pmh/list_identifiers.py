"""ListIdentifiers, from its first request to its end, and behind the place where it broke off.

A sweep and the check of a list use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

from gateway.core.errors import NotOaiPmh, RemoteError
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import ListState
from harvester.sources.oai_pmh.requests import Server
from harvester.sources.seen import Seen

LOOPS = "ListIdentifiers loops and would never end."

OF_EVERY_ITEM = "oai_dc"  # the format that every item has

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
        self._order = DateOrder()
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
            self.breaks_off = self.has_ended and not (self._is_proper(answer) or self._is_counted)
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
        return self._order.rest(window)

    def _is_proper(self, answer: ListAnswer) -> bool:
        """Return whether a last answer is as the standard says: behind a token, it has records and an empty token."""
        is_blank = bool(answer.unknown) or (answer.token is not None and answer.token.is_blank)
        if not self._state.position.token:
            return not is_blank
        is_marked = answer.token is not None or answer.version.startswith("1")
        return bool(answer.slices) and is_marked and not is_blank

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
        self._order.add(answer.slices)
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
        self._last: int | None = None
        self._rises = self._falls = True

    def add(self, slices: tuple[Slice, ...]) -> None:
        """Add the identifiers of one answer. One whose datestamp cannot be read ends the order."""
        for record in slices:
            moment = moment_of(record.datestamp)
            self._add(moment)
            self._last = moment

    def _add(self, moment: int | None) -> None:
        if moment is None:
            self._rises = self._falls = False
        elif self._last is not None:
            self._rises = self._rises and self._last <= moment
            self._falls = self._falls and self._last >= moment

    def rest(self, window: Window) -> Window | None:
        """Return the part of `window` from the last datestamp on; None where there is no order."""
        if self._last is None or not (self._rises or self._falls):
            return None
        last = utc_datetime(self._last)
        return Window(last, window.until) if self._rises else Window(window.from_, last)


Ask = Callable[[Window], IdentifierPages]


def broken_off(count: int) -> str:
    """Return the sentence for a list of so many identifiers whose end nothing shows."""
    return f"ListIdentifiers breaks off after {count} records, so it does not show that these are all."


class IdentifiersBehindBreak:
    """What is named from the last date of a list that broke off, and again from there while this breaks off, too.

    `is_end_shown`: the last question named some of the identifiers and nothing new, and ended properly or in one answer
    that was not full. A list out of the order of its dates is not asked for.
    """

    def __init__(self, pages: IdentifierPages, window: Window, ask: Ask) -> None:
        self._known, self._full, self._ask = pages.identifiers, pages.largest, ask
        self._rest = pages.rest(window)
        self.is_end_shown = False

    def answers(self) -> Iterator[ListAnswer]:
        """Yield every answer.

        Raise NotOaiPmh for losses and for records of other dates than were asked for, and what asking raises.
        """
        while self._rest is not None:
            rest, self._rest = self._rest, None
            yield from self._answers(rest)

    def _answers(self, rest: Window) -> Iterator[ListAnswer]:
        pages, known = self._ask(rest), len(self._known)
        for answer in pages.answers():
            check_names(answer, rest)
            for record in answer.slices:
                self._known.add(record.identifier)
            yield answer
        self._full = max(self._full, pages.largest)
        is_some = len(self._known) == known and 0 < len(pages.identifiers) < known
        self.is_end_shown = is_some and pages.shows_end(self._full)
        following = pages.rest(rest)
        if pages.has_ended and not self.is_end_shown and following != rest:
            self._rest = following


def check_names(answer: ListAnswer, window: Window) -> None:
    """Raise NotOaiPmh for losses, and for records that are not dated in a window."""
    if answer.losses:
        raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
    if not all(_is_in(window, record.datestamp) for record in answer.slices):
        raise NotOaiPmh(f"ListIdentifiers names what is not dated {window.in_words}.")


def _is_in(window: Window, datestamp: str) -> bool:
    moment, from_, until = (moment_of(text) for text in (datestamp, window.from_, window.until))
    return moment is not None and (from_ is None or from_ <= moment) and (until is None or moment <= until)
