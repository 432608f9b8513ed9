"""Detect the kind of source at an address: each kind checks the answer, and may send further requests."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import NamedTuple

from gateway.core.errors import AddressRefused, AnswerError, AnswerTooLarge, FetchError, TryLater
from harvester.http.messages import Fetch, Fetched, Request, Sink
from harvester.sources import Recognised, SourceKind

_BEGINNING = 1 << 20  # bytes of a very long answer; each kind is recognised by fewer


class Detection(NamedTuple):
    """The recognised kinds of an address with their findings, and the problems of requests.

    The address itself comes before addresses that it leads to.
    """

    recognised: tuple[tuple[str, Recognised], ...]
    problems: tuple[str, ...]


def recognised(url: str, kinds: Iterable[SourceKind], fetch: Fetch) -> Detection:
    """Return the kinds of source at an address.

    Raise the errors of `fetch` when it does not answer at all, or TryLater when that may be why no kind is recognised.
    """
    known: dict[Request, Fetched] = {}

    def once(request: Request) -> Fetched:
        """Return an answer; each request is sent once, however many kinds need it."""
        if request not in known:
            known[request] = fetch(request)
        return known[request]

    first, problem = _first(url, fetch)
    known[Request(url)] = first
    recognised_kinds: list[tuple[str, Recognised]] = []
    problems, later = [], None
    for kind in kinds:
        try:
            seen = kind.recognise(first, once)
        except (FetchError, AnswerError) as error:
            if not (url.startswith("file:") and isinstance(error, AddressRefused)):  # what is beside a file is not its
                problems.append(f"Whether it is {kind.name}: {error}")
                later = error if isinstance(error, TryLater) else later
        else:
            recognised_kinds += [(kind.name, seen)] if seen else []
    if later is not None and not recognised_kinds:
        raise later
    recognised_kinds.sort(key=lambda pair: pair[1].is_beside)
    return Detection(tuple(recognised_kinds), (*problems, *([] if recognised_kinds or not problem else [problem])))


def _first(url: str, fetch: Fetch) -> tuple[Fetched, str]:
    """Return the answer of an address; of a very long one the beginning, as partial content, and a problem."""
    try:
        return fetch(Request(url)), ""
    except AnswerTooLarge as error:
        beginning = _Beginning()
        with suppress(AnswerTooLarge):
            fetch(Request(url, sink=beginning))
        return beginning.answer(), str(error)


class _Beginning(Sink):
    """Takes the beginning of an answer, and then breaks off."""

    def __init__(self) -> None:
        self._bytes = b""

    def begin(self, answer: Fetched) -> bool:
        self._head, self._bytes = answer, b""
        return True

    def write(self, part: bytes) -> None:
        self._bytes += part
        if len(self._bytes) >= _BEGINNING:
            raise AnswerTooLarge("This is enough to know its kind.")

    def answer(self) -> Fetched:
        status = HTTPStatus.PARTIAL_CONTENT if self._head.status == HTTPStatus.OK else self._head.status
        return replace(self._head, status=int(status), body=self._bytes)
