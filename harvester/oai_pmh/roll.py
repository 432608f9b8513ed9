"""The roll of a list: every identifier that ListIdentifiers names in a window, held against what has come.

It decides where the numbers of a source cannot be believed, and it finds what its pages would not give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

from gateway.errors import GatewayError, NotOaiPmh, RemoteError
from gateway.model import Cursor, RawPage, Slice
from harvester.oai_pmh.notices import lies_beside
from harvester.oai_pmh.requests import only, single_url, url_of
from harvester.sources import Options
from harvester.sources._asking import PASSING, PATIENCE, asked, raw
from harvester.wire.http import Fetch
from harvester.wire.list_state import ListState
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.seen import Seen

UNFETCHED = "It could not be fetched: "

_BARREN_PAGES = 10  # in a row, each with a further token
_CALLS = 4  # of a roll under which the source changes


class Roll:
    """Calls the roll; what is missing waits in a file, for it may be much. Use it in a `with` block.

    `trouble` is why it is not known to be whole, `page` the last answer; `lies_beside` tells that it named what is
    dated far beside the window.
    """

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch, state: ListState) -> None:
        """Take the list and the window in which `state` stands."""
        self._options, self._cursor, self._fetch, self._state = options, cursor, fetch, state
        self._missing = TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._named = Seen()
        self.missing_count = 0
        self.announced: int | None = None
        self.has_ended = False
        self.has_slipped = False
        self.lies_beside = False
        self.trouble: GatewayError = NotOaiPmh("ListIdentifiers was not asked.")
        self.page: RawPage | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._missing.close()

    @property
    def count(self) -> int:
        """How many different records were named."""
        return len(self._named)

    @property
    def is_whole(self) -> bool:
        """Tell whether it ended properly, stood still, and has as many as it announced."""
        return self.has_ended and not self.has_slipped and self.count >= (self.announced or 0)

    def call(self, seen: Seen) -> None:
        """Ask for every page of it, and note what is named and not among `seen`.

        A record that comes twice with two dates has moved to the end meanwhile: where the pages are counted, another
        one has slipped to a page that was had already. Then it is called once more.
        """
        try:
            for _ in range(_CALLS):
                self._call(seen)
                if not self.has_slipped:
                    break
        except PASSING as error:
            self.has_ended, self.trouble = False, error
        if self.has_slipped:
            self.trouble = NotOaiPmh(f"Records changed under each of {_CALLS} calls of ListIdentifiers.")
        elif self.has_ended and not self.is_whole:
            self.trouble = NotOaiPmh(f"ListIdentifiers announces {self.announced} records and names {self.count}.")

    def break_off(self, why: str) -> None:
        """Note that what is missing cannot be had."""
        self.has_ended = False
        self.trouble = NotOaiPmh(why)

    def missing(self) -> Iterator[str]:
        """Return what is missing, in order."""
        self._missing.seek(0)
        for line in self._missing:
            yield line.rstrip(b"\n").decode("utf-8", "surrogatepass")

    def _call(self, seen: Seen) -> None:
        token, tokens, barren = "", set[str](), 0
        self.has_ended = self.has_slipped = False
        heard, dated = Seen(), Seen()  # in this call: identifiers, and with their dates
        while not self.has_ended:
            answer = self._answer(token, len(heard))
            before = len(heard)
            self._take(answer, seen)
            for each in answer.slices:
                is_new, is_newly_dated = heard.add(each.identifier), dated.add(f"{each.identifier}\0{each.datestamp}")
                self.has_slipped = self.has_slipped or (is_newly_dated and not is_new)
            token = answer.token.text if answer.token else ""
            barren = 0 if len(heard) > before else barren + 1
            self.has_ended = not token or (barren > 0 and len(heard) >= (self.announced or len(heard) + 1))
            if not self.has_ended and (token in tokens or barren == _BARREN_PAGES):
                self.trouble = NotOaiPmh("ListIdentifiers goes in rings and would never end.")
                return
            tokens.add(token)

    def _answer(self, token: str, heard: int) -> ListAnswer:
        """Return the next page behind so many records. Raise RemoteError for errors that do not mean the end."""
        url = url_of(self._options, self._cursor, self._state, "ListIdentifiers", token)
        fetched, answer = asked(self._options, self._fetch, url, only("ListIdentifiers"), patience=PATIENCE)
        self.page = raw(self._options, self._cursor, "ListIdentifiers", fetched, answer)
        is_end = {code for code, _ in answer.errors} == {"noRecordsMatch"}
        is_past = token and self.announced is not None and heard >= self.announced
        if answer.errors and not answer.slices and not (is_end or is_past):
            raise RemoteError(tuple((f"ListIdentifiers: {code}", text) for code, text in answer.errors))
        if answer.losses:
            raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
        return answer

    def _take(self, answer: ListAnswer, seen: Seen) -> None:
        if answer.token and answer.token.complete_list_size is not None:
            self.announced = answer.token.complete_list_size
        self.lies_beside = self.lies_beside or lies_beside(self._state.here, answer.slices)
        for each in answer.slices:
            if each.identifier and self._named.add(each.identifier) and each.identifier not in seen:
                self._missing.write(each.identifier.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n")
                self.missing_count += 1


def single(
    options: Options, cursor: Cursor, fetch: Fetch, identifier: str
) -> tuple[RawPage, tuple[Slice, ...], tuple[str, ...]]:
    """Fetch one record, and tell what mending it has cost.

    Of one that is gone there is no slice; one that is refused has a problem.
    """
    url = single_url(options, cursor, identifier)
    fetched, answer = asked(options, fetch, url, only("GetRecord"), patience=PATIENCE)
    page = raw(options, cursor, "GetRecord", fetched, answer)
    if answer.slices or {code for code, _ in answer.errors} == {"idDoesNotExist"}:
        return page, answer.slices[:1], answer.losses
    return page, (_without(identifier, RemoteError(answer.errors)),), ()


def unfetched(page: RawPage, url: str, identifier: str, error: GatewayError) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return what tells that a record could not be fetched at all; `page` is any answer of the source."""
    empty = replace(page, verb="GetRecord", url=url, status=0, headers=(), body=b"", repaired=b"", repairs=())
    return empty, (_without(identifier, error),)


def _without(identifier: str, error: GatewayError) -> Slice:
    return Slice(identifier, "", (), False, 0, 0, problem=f"{UNFETCHED}{error}")
