"""Every identifier that ListIdentifiers names in a window, compared with the records that have come.

This comparison decides where the numbers of a source do not fit. It also finds records that no page of ListRecords had.
"""

from collections.abc import Callable, Iterator, Sized
from dataclasses import replace
from math import floor
from tempfile import TemporaryFile
from types import TracebackType
from typing import NamedTuple, Self

from gateway.core.errors import GatewayError, NotOaiPmh, RemoteError
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources import UNFETCHED
from harvester.sources.budget import Spender
from harvester.sources.oai_pmh.answers import ListAnswer, parse_list
from harvester.sources.oai_pmh.changing_list import LEAST_SHARE, Datestamps, Parts
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_identifiers import (
    LOOPS,
    OF_EVERY_ITEM,
    IdentifierPages,
    IdentifiersBehindBreak,
    broken_off,
)
from harvester.sources.oai_pmh.list_state import ListState, Phase
from harvester.sources.oai_pmh.observations import is_outside
from harvester.sources.oai_pmh.requests import Server
from harvester.sources.repeated_requests import PASSING
from harvester.sources.seen import Seen

# Codes that say that there is no such record, or none in this format.
GONE = frozenset(("idDoesNotExist", "cannotDisseminateFormat"))
_LIVE, _DELETED = b" ", b"-"


class Missing(NamedTuple):
    """A record that was named and has not come. `dated` is its datestamp in seconds since 1970."""

    identifier: str
    is_deleted: bool
    dated: int | None = None


class IdentifierList:
    """Read the identifiers of a window; use it in a `with` block. Missing ones wait in a temporary file.

    `trouble` is the reason why the list is not known to be whole. `is_outside`: an identifier is dated more than a day
    outside of the window.
    """

    def __init__(self, server: Server, fetch: Spender, state: ListState) -> None:
        self._fetch, self._state, self._tolerance = fetch, state, server.options.announced_tolerance
        self._lacks: Callable[[Slice], bool] = lambda _named: True
        self._missing = TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._named, self._wanted, self._deleted, self._twins = Seen(), Seen(), Seen(), Seen()
        self._came = 0
        self._dates = "", ""  # of the first and of the last identifier
        self.answers = 0
        self.missing_count = 0
        self._pages = IdentifierPages(server, state)
        self._dated = Datestamps()
        self.parts = Parts(server, fetch, state, self._dated, self._note)
        self.is_in_parts = False  # it was read in parts, each of which was shown to be whole
        self.is_end_shown = False  # it broke off, and a question by date shows that this was its end
        self.has_ended = False
        self.is_outside = False
        self.trouble: GatewayError = NotOaiPmh("ListIdentifiers was not asked.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._missing.close()

    @property
    def page(self) -> RawPage | None:
        """The last answer."""
        return self._pages.page

    @property
    def announced(self) -> int | None:
        """How many records the source announces."""
        return self.parts.announced if self.is_in_parts else self._pages.announced

    @property
    def has_slipped(self) -> bool:
        """Return whether records changed meanwhile, so that others may be missing from its pages."""
        return self._pages.has_slipped and not self.is_in_parts

    @property
    def count(self) -> int:
        """How many different records were named."""
        return len(self._named)

    @property
    def beyond(self) -> Window | None:
        """The dates from that of the last identifier on; None where the order of the dates is not known."""
        first, last = (moment_of(date) for date in self._dates)
        if first is None or last is None:
            return None
        here = self._state.here
        return Window(utc_datetime(last), here.until) if first <= last else Window(here.from_, utc_datetime(last))

    @property
    def expected(self) -> int:
        """How many it must name at least: as many as it announces, and as many as came of its window."""
        tolerated = floor((self.announced or 0) * self._tolerance)
        twins = self._pages.twins if (self.announced or 0) > self.count else 0
        return max((self.announced or 0) - tolerated - twins, self._came)

    @property
    def keeps_its_number(self) -> bool:
        """Return whether it names exactly as many as it announces. Such a count needs no further proof."""
        is_kept = self.parts.keeps_its_number if self.is_in_parts else self._pages.names(self.announced)
        return self.is_whole and is_kept and not self._pages.breaks_off

    def has_entries(self, number: int) -> bool:
        """Return whether it has so many entries, where some records are named as living and as deleted."""
        return number == self.count + len(self._twins) > self.count

    @property
    def has_broken_off(self) -> bool:
        """Return whether it ended otherwise than the standard says, when it was read as a whole."""
        return self._pages.breaks_off

    @property
    def breaks_off(self) -> bool:
        """Return whether it broke off, and nothing else shows that it is all."""
        return self.has_broken_off and not (self.is_end_shown or self.is_in_parts)

    @property
    def is_whole(self) -> bool:
        """Return whether it ended properly, did not change, and names as many records as are expected."""
        is_ended = self.has_ended and not (self.has_slipped or self.breaks_off)
        return is_ended and self.count >= self.expected

    def read(self, seen: Seen, lacks: Callable[[Slice], bool]) -> None:
        """Read every page, and note what `lacks` says has not come; `seen` are the identifiers that came.

        A record that comes twice with two dates has moved to the end meanwhile. If pages are counted by offset, another
        record has then moved to a page that was read before. So the list is read again in parts, also if too few
        records are named. A list that broke off is asked for from its last date on, and in parts if that shows nothing.
        """
        self._lacks = lacks
        self._came = _came_at_least(self._state, seen)
        try:
            self._read_pages()
            self.is_end_shown = self._pages.is_open and self._shows_end()
            if self.has_ended and not self.is_whole and self._may_have_changed:
                self.is_in_parts = self.parts.read()
        except PASSING as error:
            self.trouble = NotOaiPmh(f"{broken_off(self.count)} {error}") if self.breaks_off else error
            self.has_ended = False
        if self.has_ended and self.breaks_off:
            self.trouble = NotOaiPmh(broken_off(self.count))
        elif self.has_ended and self.has_slipped:
            self.trouble = NotOaiPmh("Records changed while ListIdentifiers was read, and no part of it stood still.")
        elif self.has_ended and not self.is_whole:
            self.trouble = NotOaiPmh(self._too_few)

    @property
    def _may_have_changed(self) -> bool:
        """Return whether changes in the meantime may explain the difference, so that reading in parts helps.

        They do not explain a number that is much too high. A list that breaks off may be read in parts in any case.
        """
        is_near = self.count >= LEAST_SHARE * max(self.announced or 0, self._came)
        is_cut = self._state.position.is_sliced and self.count < self._came  # windows brought what its list hides
        return (is_near or is_cut or self.breaks_off) and self.parts.can_be_read

    def _shows_end(self) -> bool:
        """Ask for what is named from its last date on, and return whether that shows the end of it."""
        if not self.parts.can_take_dates:
            return False
        rest = IdentifiersBehindBreak(self._pages, self._state.here, self.parts.pages)
        for answer in rest.answers():
            self._fetch.spare()
            self._note(answer.slices)
        return rest.is_end_shown

    @property
    def _too_few(self) -> str:
        if not self.count and self._came:
            return f"ListIdentifiers names nothing {self._state.here.in_words}, where records came."
        return f"ListIdentifiers names {self.count} records, where there are {self.expected}."

    @property
    def unnamed_count(self) -> int:
        """How many records came of its window that are not named in it, at least."""
        return max(0, self._came - self.count)

    def note_gone(self, gone: int) -> None:
        """Note that so many records that came have been deleted since, and need not be named."""
        self._came -= gone

    def names(self, identifier: str) -> bool:
        """Return whether a record is named."""
        return identifier in self._named

    def break_off(self, why: str) -> None:
        """Note that the missing records cannot be fetched."""
        self.has_ended = False
        self.trouble = NotOaiPmh(why)

    def missing(self) -> Iterator[Missing]:
        """Return the missing records, in the order in which they were named."""
        self._missing.seek(0)
        for line in self._missing:
            dated, _, name = line[1:].rstrip(b"\n").partition(b" ")
            moment = moment_of(dated.decode()) if dated else None
            identifier = name.decode("utf-8", "surrogatepass")
            yield Missing(identifier, line[:1] == _DELETED and identifier not in self._twins, moment)

    def _read_pages(self) -> None:
        for answer in self._pages.answers():
            self._fetch.spare()
            if answer.losses:
                raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
            self._take(answer)
        self.has_ended = self._pages.has_ended
        if self._pages.loops:
            self.trouble = NotOaiPmh(LOOPS)

    def _take(self, answer: ListAnswer) -> None:
        self.answers += 1
        self.is_outside = self.is_outside or is_outside(self._state.here, answer.slices)
        if answer.slices:
            self._dates = self._dates[0] or answer.slices[0].datestamp, answer.slices[-1].datestamp
        self._dated.add(answer.slices)
        self._note(answer.slices)

    def _note(self, slices: tuple[Slice, ...]) -> None:
        for record in slices:
            if record.identifier:
                was_deleted = record.identifier in self._deleted
                if not self._named.add(record.identifier) and was_deleted != record.is_deleted:
                    self._twins.add(record.identifier)
                if record.is_deleted:
                    self._deleted.add(record.identifier)
            if record.identifier and self._lacks(record) and self._wanted.add(record.identifier):
                name = record.identifier.replace("\n", " ").encode("utf-8", "surrogatepass")
                moment = moment_of(record.datestamp)
                dated = b"" if moment is None else utc_datetime(moment).encode()
                self._missing.write(b"%b%b %b\n" % (_DELETED if record.is_deleted else _LIVE, dated, name))
                self.missing_count += 1


def _came_at_least(state: ListState, seen: Sized) -> int:
    """Return how many records are known to have come of a window. For a part of a list, this is at most 1."""
    if state.position.phase is not Phase.CHECK:
        begins_at_one = state.position.certain and state.position.certain == state.here.from_
        return 1 if state.evidence.part or begins_at_one else 0
    if state.here == state.position.whole:
        return min(len(seen), state.evidence.distinct)
    return min(1, state.evidence.distinct if state.position.whole.covers(state.here) else len(seen))


def get_record(server: Server, state: ListState, named: Missing) -> tuple[RawPage, tuple[Slice, ...], tuple[str, ...]]:
    """Fetch one record. Return the answer, the slice of the record, and what was lost when the answer was repaired.

    A record that is refused, or for which another one comes, is returned with a problem. It was named a moment ago, so
    an error does not show that it was deleted (ufal/clarin-dspace#977), unless it was named as deleted. There is no
    slice for a record that exists in other formats only. Raise the errors of `asked`.
    """
    identifier = named.identifier
    page, answer, _ = server.record(state, identifier)
    if answer.slices and answer.slices[0].identifier in (identifier, ""):
        slice_ = answer.slices[0]._replace(
            identifier=identifier
        )  # a record without an identifier is the one that was asked for
        return page, (slice_,), answer.losses
    codes = {code for code, _ in answer.errors}
    if named.is_deleted and codes and codes <= GONE:
        return page, (Slice(identifier, utc_datetime(page.received_at), (), True, 0, 0),), ()
    if is_of_another_format(
        server.cursor.metadata_prefix, codes, is_first_generation=state.profile.is_first_generation
    ):
        return page, (), ()
    return page, (_without(identifier, _refusal(answer)),), ()


def is_denied(page: RawPage) -> bool:
    """Return whether an answer to GetRecord says idDoesNotExist."""
    body = page.repaired or page.body
    return bool(body) and {code for code, _ in parse_list(body).errors} == {"idDoesNotExist"}


def is_of_another_format(metadata_prefix: str, codes: set[str], *, is_first_generation: bool) -> bool:
    """Return whether a record exists in other formats only: some sources name the items of every format."""
    if is_first_generation:
        return codes == {"idDoesNotExist"}
    return codes == {"cannotDisseminateFormat"} and metadata_prefix != OF_EVERY_ITEM


def _refusal(answer: ListAnswer) -> GatewayError:
    if answer.slices:
        return NotOaiPmh(f"GetRecord brings {answer.slices[0].identifier} instead.")
    return RemoteError(answer.errors) if answer.errors else NotOaiPmh("GetRecord brings nothing.")


def unfetched(page: RawPage, url: str, identifier: str, error: GatewayError) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return a page and a slice that say that a record could not be fetched; `page` is any answer of the source."""
    empty = replace(page, verb="GetRecord", url=url, status=0, headers=(), body=b"", repaired=b"", repairs=())
    return empty, (_without(identifier, error),)


def _without(identifier: str, error: GatewayError) -> Slice:
    return Slice(identifier, "", (), False, 0, 0, problem=f"{UNFETCHED}{error}")
