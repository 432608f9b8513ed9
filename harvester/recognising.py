"""Which kind of source an address is: every kind is shown what it answers, and may ask it for more."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import NamedTuple

from gateway.errors import AddressRefused, AnswerError, AnswerTooLarge, FetchError
from harvester.sources import Recognised, SourceKind
from harvester.wire.http import Fetch, Fetched, Request

_BEGINNING = 1 << 20  # bytes of what is too long to be held: every kind is told by fewer


class Found(NamedTuple):
    """What the kinds say of an address: (name of the kind, what it was seen to be), and what they could not ask.

    What the address itself is comes before what it leads to.
    """

    recognised: tuple[tuple[str, Recognised], ...]
    problems: tuple[str, ...]


def recognised(url: str, kinds: Iterable[SourceKind], fetch: Fetch) -> Found:
    """Ask an address what it is. Raise what `fetch` raises when it does not answer at all."""
    known: dict[Request, Fetched] = {}

    def once(request: Request) -> Fetched:
        """Bring each answer once, however many kinds want to see it."""
        if request not in known:
            known[request] = fetch(request)
        return known[request]

    first, problem = _first(url, fetch)
    known[Request(url)] = first
    found: list[tuple[str, Recognised]] = []
    problems = []
    for kind in kinds:
        try:
            seen = kind.recognise(first, once)
        except (FetchError, AnswerError) as error:
            if not (url.startswith("file:") and isinstance(error, AddressRefused)):  # what is beside a file is not its
                problems.append(f"Whether it is {kind.name}: {error}")
        else:
            found += [(kind.name, seen)] if seen else []
    found.sort(key=lambda each: each[1].is_beside)
    return Found(tuple(found), (*problems, *([] if found or not problem else [problem])))


def _first(url: str, fetch: Fetch) -> tuple[Fetched, str]:
    """Return what an address answers; of what is too long to be held its beginning, as partial content, and a word."""
    try:
        return fetch(Request(url)), ""
    except AnswerTooLarge as error:
        beginning = _Beginning()
        with suppress(AnswerTooLarge):
            fetch(Request(url, sink=beginning))
        return beginning.answer(), str(error)


class _Beginning:
    """Takes as much of an answer as tells what it is, and breaks off then."""

    def __init__(self) -> None:
        self._bytes = b""

    def headers(self) -> tuple[tuple[str, str], ...]:
        return ()

    def begin(self, answer: Fetched) -> bool:
        self._head, self._bytes = answer, b""
        return True

    def write(self, part: bytes) -> None:
        self._bytes += part
        if len(self._bytes) >= _BEGINNING:
            raise AnswerTooLarge("This is enough to tell what it is.")

    def answer(self) -> Fetched:
        status = HTTPStatus.PARTIAL_CONTENT if self._head.status == HTTPStatus.OK else self._head.status
        return replace(self._head, status=int(status), body=self._bytes)
