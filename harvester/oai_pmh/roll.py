"""The roll of a list: every identifier that ListIdentifiers names in a window, held against what has come.

It decides where the numbers of a source cannot be believed, and it finds what its pages would not give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import replace
from math import floor
from tempfile import TemporaryFile
from types import TracebackType
from typing import NamedTuple, Self

from gateway.errors import GatewayError, NotOaiPmh, RemoteError
from gateway.model import Cursor, RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.naming import OF_EVERY_ITEM, RINGS, Naming
from harvester.oai_pmh.notices import lies_beside
from harvester.oai_pmh.parts import LEAST_SHARE, Dated, Parts
from harvester.oai_pmh.requests import only, single_url
from harvester.sources import UNFETCHED, Options
from harvester.sources._asking import PASSING, PATIENCE, asked, raw
from harvester.sources._budget import Spender
from harvester.wire.dates import moment_of
from harvester.wire.http import Fetch
from harvester.wire.list_state import ListState, Rung
from harvester.wire.oai_pmh import ListAnswer, parse_list
from harvester.wire.seen import Seen
from harvester.wire.windows import Window

# Codes that say that there is no such record, or none in this format.
GONE = frozenset(("idDoesNotExist", "cannotDisseminateFormat"))
_LIVE, _DELETED = b" ", b"-"


class Missing(NamedTuple):
    """A record that was named and has not come; whether it was named as deleted, and the second of its date."""

    identifier: str
    is_deleted: bool
    dated: int | None = None


class Roll:
    """Calls the roll; what is missing waits in a file, for it may be much. Use it in a `with` block.

    `trouble` is why it is not known to be whole; `lies_beside` tells that it named what is dated far beside the window.
    """

    def __init__(self, options: Options, cursor: Cursor, fetch: Spender, state: ListState) -> None:
        """Take the list and the window in which `state` stands."""
        self._options, self._cursor, self._fetch, self._state = options, cursor, fetch, state
        self._seen = Seen()
        self._missing = TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._named = Seen()
        self._came = 0
        self._dates = "", ""  # of the first and of the last that was named
        self.answers = 0
        self.missing_count = 0
        self._naming = Naming(options, cursor, fetch, state)
        self._dated = Dated()
        self.parts = Parts(options, cursor, fetch, state, self._dated, self._note)
        self.is_in_parts = False  # it was read in parts, each of which was shown to be whole
        self.has_ended = False
        self.lies_beside = False
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
        return self._naming.page

    @property
    def announced(self) -> int | None:
        """How many there are, as the source says."""
        return self.parts.announced if self.is_in_parts else self._naming.announced

    @property
    def has_slipped(self) -> bool:
        """Whether records changed meanwhile, so that others may have slipped away."""
        return self._naming.has_slipped and not self.is_in_parts

    @property
    def count(self) -> int:
        """How many different records were named."""
        return len(self._named)

    @property
    def beyond(self) -> Window | None:
        """The dates beyond the last name, and its own; None where it cannot be known which those are."""
        first, last = (moment_of(each) for each in self._dates)
        if first is None or last is None:
            return None
        here = self._state.here
        return Window(utc_datetime(last), here.until) if first <= last else Window(here.from_, utc_datetime(last))

    @property
    def expected(self) -> int:
        """How many it must name at least: as it announces, and as many as are known to have come of its window."""
        tolerated = floor((self.announced or 0) * self._options.announced_tolerance)
        return max((self.announced or 0) - tolerated, self._came)

    @property
    def keeps_its_number(self) -> bool:
        """Tell whether it names exactly as many as it announces itself: that count needs no other to be believed."""
        is_kept = self.parts.keeps_its_number if self.is_in_parts else self.announced == self.count
        return self.is_whole and is_kept

    @property
    def is_whole(self) -> bool:
        """Tell whether it ended properly, stood still, and has as many as are expected."""
        return self.has_ended and not self.has_slipped and self.count >= self.expected

    def call(self, seen: Seen) -> None:
        """Ask for every page of it, and note what is named and not among `seen`.

        A record that comes twice with two dates has moved to the end meanwhile: where the pages are counted, another
        one has slipped to a page that was had already. Then, and when too few are named, it is read in parts.
        """
        self._seen = seen
        self._came = _came_at_least(self._state, seen)
        try:
            self._call()
            if self.has_ended and not self.is_whole and self._may_have_changed:
                self.is_in_parts = self.parts.read()
        except PASSING as error:
            self.has_ended, self.trouble = False, error
        if self.has_ended and self.has_slipped:
            self.trouble = NotOaiPmh("Records changed while ListIdentifiers was read, and no part of it stood still.")
        elif self.has_ended and not self.is_whole:
            self.trouble = NotOaiPmh(self._too_few)

    @property
    def _may_have_changed(self) -> bool:
        """Tell whether changes in the meantime may be all that is wrong, and the parts of it can show that.

        A number that is much too high is wrong for another reason.
        """
        is_near = self.count >= LEAST_SHARE * max(self.announced or 0, self._came)
        return is_near and self.parts.can_be_read

    @property
    def _too_few(self) -> str:
        if not self.count and self._came:
            return f"ListIdentifiers names nothing {self._state.here.in_words}, where records came."
        return f"ListIdentifiers names {self.count} records, where there are {self.expected}."

    @property
    def lacks(self) -> int:
        """How many records came of its window more than are named in it."""
        return max(0, self._came - self.count)

    def forgive(self, gone: int) -> None:
        """Note that so many of what came are gone by now, and need not be named."""
        self._came -= gone

    def names(self, identifier: str) -> bool:
        """Tell whether a record is named."""
        return identifier in self._named

    def break_off(self, why: str) -> None:
        """Note that what is missing cannot be had."""
        self.has_ended = False
        self.trouble = NotOaiPmh(why)

    def missing(self) -> Iterator[Missing]:
        """Return what is missing, in order."""
        self._missing.seek(0)
        for line in self._missing:
            dated, _, name = line[1:].rstrip(b"\n").partition(b" ")
            moment = moment_of(dated.decode()) if dated else None
            yield Missing(name.decode("utf-8", "surrogatepass"), line[:1] == _DELETED, moment)

    def _call(self) -> None:
        self._naming = naming = Naming(self._options, self._cursor, self._fetch, self._state, PATIENCE)
        for answer in naming.answers():
            self._fetch.spare()
            if answer.losses:
                raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
            self._take(answer)
        self.has_ended = naming.has_ended
        if naming.goes_in_rings:
            self.trouble = NotOaiPmh(RINGS)

    def _take(self, answer: ListAnswer) -> None:
        self.answers += 1
        self.lies_beside = self.lies_beside or lies_beside(self._state.here, answer.slices)
        if answer.slices:
            self._dates = self._dates[0] or answer.slices[0].datestamp, answer.slices[-1].datestamp
        self._dated.add(answer.slices)
        self._note(answer.slices)

    def _note(self, slices: tuple[Slice, ...]) -> None:
        for each in slices:
            if each.identifier and self._named.add(each.identifier) and each.identifier not in self._seen:
                name = each.identifier.replace("\n", " ").encode("utf-8", "surrogatepass")
                moment = moment_of(each.datestamp)
                dated = b"" if moment is None else utc_datetime(moment).encode()
                self._missing.write(b"%b%b %b\n" % (_DELETED if each.is_deleted else _LIVE, dated, name))
                self.missing_count += 1


def _came_at_least(state: ListState, seen: Sized) -> int:
    """Return how many records are known to have come of a window: of a part of a list, one, where any have."""
    if state.rung != Rung.CHECK:
        begins_at_one = state.certain and state.certain == state.here.from_
        return 1 if state.part or begins_at_one else 0
    if state.here == state.whole:
        return min(len(seen), state.distinct)
    return min(1, state.distinct if state.whole.covers(state.here) else len(seen))


def single(
    options: Options, cursor: Cursor, state: ListState, fetch: Fetch, named: Missing
) -> tuple[RawPage, tuple[Slice, ...], tuple[str, ...]]:
    """Fetch one record, and tell what mending it has cost.

    One that is refused, or for which another comes, has a problem: it was named a moment ago, so who does not know it
    has not shown that it is gone (ufal/clarin-dspace#977). What was named as deleted is gone. Only where those of any
    format are named, there is no slice then.
    """
    identifier = named.identifier
    url = single_url(options, cursor, state, identifier)
    fetched, answer = asked(options, fetch, url, only("GetRecord"), patience=PATIENCE)
    page = raw(options, cursor, "GetRecord", fetched, answer)
    if answer.slices and answer.slices[0].identifier in (identifier, ""):
        found = answer.slices[0]._replace(
            identifier=identifier
        )  # one that does not say it is the one that was asked for
        return page, (found,), answer.losses
    codes = {code for code, _ in answer.errors}
    if named.is_deleted and codes and codes <= GONE:
        return page, (Slice(identifier, utc_datetime(page.received_at), (), True, 0, 0),), ()
    if is_of_another_format(cursor.metadata_prefix, codes, is_first_generation=state.is_first_generation):
        return page, (), ()
    return page, (_without(identifier, _refusal(answer)),), ()


def is_denied(page: RawPage) -> bool:
    """Tell whether an answer to GetRecord says that there is no such record."""
    body = page.repaired or page.body
    return bool(body) and {code for code, _ in parse_list(body).errors} == {"idDoesNotExist"}


def is_of_another_format(metadata_prefix: str, codes: set[str], *, is_first_generation: bool) -> bool:
    """Tell whether a record was named that there is in other formats only, as some name all of any format."""
    if is_first_generation:
        return codes == {"idDoesNotExist"}
    return codes == {"cannotDisseminateFormat"} and metadata_prefix != OF_EVERY_ITEM


def _refusal(answer: ListAnswer) -> GatewayError:
    if answer.slices:
        return NotOaiPmh(f"GetRecord brings {answer.slices[0].identifier} instead.")
    return RemoteError(answer.errors) if answer.errors else NotOaiPmh("GetRecord brings nothing.")


def unfetched(page: RawPage, url: str, identifier: str, error: GatewayError) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return what tells that a record could not be fetched at all; `page` is any answer of the source."""
    empty = replace(page, verb="GetRecord", url=url, status=0, headers=(), body=b"", repaired=b"", repairs=())
    return empty, (_without(identifier, error),)


def _without(identifier: str, error: GatewayError) -> Slice:
    return Slice(identifier, "", (), False, 0, 0, problem=f"{UNFETCHED}{error}")
