"""Which of two versions of a record is older, by the datestamps that its source gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from weakref import WeakKeyDictionary

from gateway.errors import PageLost
from gateway.model import Slice, StoredPage
from gateway.store.base import Inbox
from gateway.xmltext import utc_datetime

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DAY_LENGTH = len("2000-01-01")
_SECONDS_LENGTH = len("2000-01-01T00:00:00Z")
_PAGES_AT_ONCE = 500
_PAGES_KEPT = 16  # a list that brings a record twice does so on pages that lie close together, mostly
_MOST_AHEAD_SECONDS = 86_400  # of a source whose clock is another, or that counts the days of its own zone


def stated_datestamp(cut: Slice, received_at: int) -> str:
    """Return the datestamp of a version; empty when it is none, lies in the future, or is not the source's own.

    What is deleted at the second in which its page came was found missing by us, whatever the source says of it.
    """
    text = cut.datestamp.strip()
    if not _DAY.match(text) or (cut.is_deleted and text == utc_datetime(received_at)):
        return ""
    return "" if text > utc_datetime(received_at + _MOST_AHEAD_SECONDS) else text


def is_older(one: str, other: str) -> bool:
    """Tell whether a datestamp is before another; where one is a day only, their days are compared."""
    if not one or not other or one == other:
        return False
    if len(one) == len(other) == _SECONDS_LENGTH and one[-1] == other[-1] == "Z":
        return one < other
    if len(one) == _DAY_LENGTH or len(other) == _DAY_LENGTH:
        return _day(one) < _day(other)
    moments = _moment(one), _moment(other)
    return moments[0] < moments[1] if None not in moments else _day(one) < _day(other)  # type: ignore[operator]


def _day(text: str) -> str:
    moment = _moment(text)
    return text[:_DAY_LENGTH] if moment is None else moment.strftime("%Y-%m-%d")


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


class Versions:
    """The datestamps of versions that lie in an inbox."""

    def __init__(self, inbox: Inbox) -> None:
        """Take the inbox."""
        self._inbox = inbox
        self._headers = lru_cache(maxsize=_PAGES_KEPT)(inbox.headers)

    def datestamp(self, page: int, place: int) -> str:
        """Return the datestamp that the source gave a version; empty when it gave none, or its page is lost."""
        try:
            stored = self._headers(page)
        except PageLost:
            return ""
        known = stored.slices[place : place + 1]
        return stated_datestamp(known[0], stored.page.received_at) if known else ""

    def has_come_again(self, identifier: str, held: tuple[int, int], before: tuple[StoredPage, int]) -> bool:
        """Tell whether a version that is held came once more in the list of a page, before a place on that page.

        It came as it is held, so nothing was written of it. `held` is its page and place.
        """
        page, place = before
        version = _version(self.cut(*held)._replace(identifier=identifier))
        if any(_version(each) == version for each in page.slices[:place]):
            return True
        return version in _listed(self._inbox, page)

    def cut(self, page: int, place: int) -> Slice:
        """Return a version that is held."""
        return self._headers(page).slices[place]

    def take_turns(self, newer: Slice, older: tuple[StoredPage, int]) -> bool:
        """Tell whether a version and this older one come in turn: the source has both of them, side by side.

        So it is when the older one came before, between two arrivals of the newer one.
        """
        page, place = older
        came = _came(self._inbox, page)
        times = [came.get(_version(each)) for each in (newer, page.slices[place])]
        if None in times:
            return False
        (first, last), (_, between) = times  # type: ignore[misc]  # none is None
        return bool(first < between < last)


def _version(cut: Slice) -> int:
    return hash((cut.identifier, cut.datestamp, cut.is_deleted))


# On which pages each version came first and last: by inbox, and by source and format. It is read only when a record
# seems to have gone back to an older datestamp, and each page once.
_CAME: WeakKeyDictionary[Inbox, dict[tuple[str, str], _Came]] = WeakKeyDictionary()


@dataclass(slots=True)
class _Came:
    """The first and the last page of each version, up to a page, by their hashes."""

    number: int = 0
    versions: dict[int, tuple[int, int]] = field(default_factory=dict)


def _came(inbox: Inbox, page: StoredPage) -> dict[int, tuple[int, int]]:
    """Return on which pages before this one the versions of its source and format came first and last."""
    key = page.page.source, page.page.metadata_prefix
    known = _CAME.setdefault(inbox, {}).setdefault(key, _Came())
    if known.number >= page.number:
        known = _CAME[inbox][key] = _Came()
    for stored in _between(inbox, key, known.number, page.number):
        number = stored.number
        for version in map(_version, stored.slices):
            known.versions[version] = known.versions.get(version, (number, number))[0], number
    known.number = page.number - 1
    return known.versions


# What the lists brought before: by inbox, and by source and format. It is read only when a record seems to have gone
# back to an older datestamp, and each page once.
_LISTED: WeakKeyDictionary[Inbox, dict[tuple[str, str], _Listed]] = WeakKeyDictionary()


@dataclass(slots=True)
class _Listed:
    """The versions that a list has brought up to a page, as hashes."""

    begun: int
    number: int
    versions: set[int] = field(default_factory=set)


def _listed(inbox: Inbox, page: StoredPage) -> set[int]:
    """Return at least the versions that the list of a page has brought on the pages before it."""
    key, begun = (page.page.source, page.page.metadata_prefix), page.page.list_begun
    assert begun is not None
    lists = _LISTED.setdefault(inbox, {})
    known = lists.get(key)
    if known is None or known.begun != begun or known.number >= page.number:
        known = lists[key] = _Listed(begun, begun)
    for stored in _between(inbox, key, known.number, page.number):
        if stored.page.list_begun == begun:
            known.versions.update(map(_version, stored.slices))
    known.number = page.number - 1
    return known.versions


def _between(inbox: Inbox, key: tuple[str, str], after: int, before: int) -> Iterator[StoredPage]:
    """Yield the pages of a source and format between two numbers, without their bytes."""
    source, metadata_prefix = key
    while numbers := [each for each, _ in inbox.extents(source, after, _PAGES_AT_ONCE) if each < before]:
        for stored in map(inbox.headers, numbers):
            if stored.page.metadata_prefix == metadata_prefix:
                yield stored
        after = numbers[-1]
