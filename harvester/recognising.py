"""Which kind of source an address is: every kind is shown what it answers, and may ask it for more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.errors import AddressRefused, AnswerError, FetchError
from harvester.sources import Recognised, SourceKind
from harvester.wire.http import Fetch, Fetched, Request


class Found(NamedTuple):
    """What the kinds say of an address: (name of the kind, what it was seen to be), and what they could not ask."""

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

    first = once(Request(url))
    found, problems = [], []
    for kind in kinds:
        try:
            seen = kind.recognise(first, once)
        except (FetchError, AnswerError) as error:
            if not (url.startswith("file:") and isinstance(error, AddressRefused)):  # what is beside a file is not its
                problems.append(f"Whether it is {kind.name}: {error}")
        else:
            found += [(kind.name, seen)] if seen else []
    return Found(tuple(found), tuple(problems))
