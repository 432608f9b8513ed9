"""What a repository still has: the headers of a whole list, by ListIdentifiers, and single records, by GetRecord."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from gateway.errors import NotOaiPmh, RemoteError
from gateway.model import Cursor, RawPage, Slice
from harvester.oai_pmh.profile import as_told
from harvester.sources import Listed, Options
from harvester.sources._asking import asked, raw
from harvester.wire.http import Fetch
from harvester.wire.list_state import ListState, state_of
from harvester.wire.oai_pmh import ListAnswer, parse_list
from harvester.wire.urls import base_url, request_url

# Codes that say that there is no such record, or none in this format.
_GONE = frozenset(("idDoesNotExist", "cannotDisseminateFormat"))
_BARREN_PAGES = 10  # in a row without a header, each with a further token


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """List the headers of the cursor's whole list, whatever dates bound its harvest.

    The cursor is only asked how this server wants its tokens. Raise what `changes` raises; what does not end properly
    ends with doubts.
    """
    yield from _Headers(options, cursor, fetch).pages()


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Fetch one record in the cursor's format; without a slice when the source says that there is none.

    Raise RemoteError for any other error of the protocol, and NotOaiPmh when it sends another record.
    """
    arguments = ("identifier", identifier), ("metadataPrefix", cursor.metadata_prefix)
    fetched, answer = asked(options, fetch, request_url(base_url(options.url), "GetRecord", *arguments), parse_list)
    page = raw(options, cursor, "GetRecord", fetched, answer)
    if not answer.slices and {code for code, _ in answer.errors} <= _GONE:
        return page, ()
    if not answer.slices:
        raise RemoteError(answer.errors)
    if answer.slices[0].identifier != identifier:
        raise NotOaiPmh(
            f"It was asked for {identifier} and sent {answer.slices[0].identifier or 'a record without name'}."
        )
    return page, answer.slices[:1]


class _Headers:
    """One list, from its first request to its end."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self._options, self._cursor, self._fetch = options, cursor, fetch
        self._base = base_url(options.url)
        known = as_told(options.own, state_of(cursor.state)[0])
        self._state = ListState(is_verbatim=known.is_verbatim, is_first_generation=known.is_first_generation)
        self._has_other_way = True
        self._tokens: set[str] = set()
        self._barren = 0

    def pages(self) -> Iterator[Listed]:
        page: Listed | None = None
        while page is None or not page.is_last:
            _, answer = asked(self._options, self._fetch, self._url(), parse_list)
            if answer.slices or {code for code, _ in answer.errors} <= {"noRecordsMatch"}:
                page = self._page(answer)
                yield page
            elif self._is_past():
                page = self._listed((), is_last=True)
                yield page
            else:
                self._ask_otherwise(answer)

    def _url(self) -> str:
        state = self._state
        if state.token:
            token = ("resumptionToken", state.token)
            return request_url(self._base, "ListIdentifiers", token, is_verbatim=state.is_verbatim)
        prefix, spec = ("metadataPrefix", self._cursor.metadata_prefix), ("set", self._cursor.set_spec)
        if state.is_first_generation:
            return request_url(self._base, "ListIdentifiers", spec)
        return request_url(self._base, "ListIdentifiers", prefix, spec)

    def _is_past(self) -> bool:
        """Tell whether as many headers came as were announced: some servers refuse the token behind the last."""
        return self._state.announced is not None and self._state.received >= self._state.announced

    def _ask_otherwise(self, answer: ListAnswer) -> None:
        """Send a token that was refused once more, written in the other way."""
        if not (self._state.token and self._has_other_way):
            raise RemoteError(answer.errors)
        self._has_other_way = False
        self._state = replace(self._state, is_verbatim=not self._state.is_verbatim)

    def _page(self, answer: ListAnswer) -> Listed:
        token = answer.token.text if answer.token else ""
        size = answer.token.complete_list_size if answer.token else None
        state = self._state
        announced = state.announced if size is None else size
        self._state = replace(state, token=token, received=state.received + len(answer.slices), announced=announced)
        self._barren = 0 if answer.slices else self._barren + 1
        if token in self._tokens or self._barren == _BARREN_PAGES:
            rings = "ListIdentifiers goes in rings and would never end."
            return self._listed(answer.slices, is_last=True, doubts=(rings,))
        self._tokens.add(token)
        return self._listed(answer.slices, is_last=not token, doubts=answer.losses)

    def _listed(self, slices: tuple[Slice, ...], *, is_last: bool, doubts: tuple[str, ...] = ()) -> Listed:
        received, announced = self._state.received, self._state.announced
        if is_last and announced is not None and received < announced:
            doubts = (*doubts, f"ListIdentifiers announced {announced} records and named {received}.")
        unreadable = (f"A header cannot be read: {each.problem}" for each in slices if each.problem)
        return Listed(slices, received, announced, is_last, (*doubts, *islice(unreadable, 1)))
