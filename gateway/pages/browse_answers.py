"""What the pages about the repository answer alike: data as JSON, tables in pages, and what is not there."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from flask import Response, request

from gateway.pages.answers import answer, no_page
from gateway.pages.templating import Pages

T = TypeVar("T")

SHOWN_ROWS = 50  # of a table of sources, formats or sets
_JSON = "application/json"


def plain(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return named tuples as JSON has them."""
    return [as_object(row) for row in rows]


def as_object(row: Any) -> dict[str, Any]:  # noqa: ANN401 - any named tuple
    """Return a named tuple as JSON has it: an object, and those in it likewise."""
    return {name: as_object(value) if hasattr(value, "_asdict") else value for name, value in row._asdict().items()}


def as_json(data: Mapping[str, Any]) -> Response:
    """Answer with data."""
    return answer(json.dumps(data, ensure_ascii=False, indent=1) + "\n", _JSON)


def table(pages: Pages, place: str, rows: Sequence[T], key: Callable[[T], str]) -> Response:
    """Answer with the page of a table that the argument `after` asks for; `place` is its address and its template."""
    after = request.args.get("after", "")
    if after and after not in map(key, rows) and not may_be_key(after):
        return no_such_page(pages, after)
    return table_page(pages, place, part_of(sorted(rows, key=key), key, after, SHOWN_ROWS))


def table_page(pages: Pages, place: str, part: Part[T]) -> Response:
    """Answer with a page of a table; `place` is its address and its template."""
    base = f"{pages.site.root}/{place}"
    body = pages.render(
        f"{place}.html",
        place=place,
        rows=part.entries,
        previous_url="" if part.previous is None else _page_after(base, part.previous),
        next_url="" if part.following is None else _page_after(base, part.following),
    )
    return answer(body)


def missing(pages: Pages, sentence: str, asked: str) -> Response:
    """Answer that there is no such thing."""
    return no_page(pages, HTTPStatus.NOT_FOUND, sentence, asked=asked)


# What may have been a name or a setSpec when a page was made; `-1` was none.
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.!~*'():-]*")


def may_be_key(after: str) -> bool:
    """Return whether a page of a list may begin after this key although the list does not have it any more."""
    return _KEY.fullmatch(after) is not None


def no_such_page(pages: Pages, after: str) -> Response:
    """Answer that no page of a list begins after this key."""
    return no_page(pages, HTTPStatus.BAD_REQUEST, pages.texts.errors.bad, asked=f"after={after}")


def _page_after(base: str, key: str) -> str:
    """Return the address of the page of a list after a key; an empty one is the first page."""
    return f"{base}?{urlencode({'after': key})}" if key else base


# --- One page of a list that is in memory, found by a key and not by a number. Pure ----------------------------------


class Part(NamedTuple, Generic[T]):
    """A page of a list. `previous` and `following` are the keys after which other pages begin; None: there is none."""

    entries: Sequence[T]
    previous: str | None
    following: str | None


def part_of(entries: Sequence[T], key: Callable[[T], str], after: str, size: int) -> Part[T]:
    """Return the `size` entries after a key, of a list that is sorted by its keys. An empty key is the beginning."""
    keys = [key(entry) for entry in entries]
    first = bisect_right(keys, after) if after else 0
    last = first + size
    previous = None if not first else keys[first - size - 1] if first > size else ""
    return Part(entries[first:last], previous, keys[last - 1] if last < len(entries) else None)
