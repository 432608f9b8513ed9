"""One page of a list that is in memory, found by a key and not by a number. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


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
