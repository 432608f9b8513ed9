"""Decides which of two versions of a record is older, by the datestamps of its source, and which are published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gateway.core.errors import PageLost
from gateway.core.model import Deletion, Payload, Quarantined, Slice, StoredPage
from gateway.core.xmltext import utc_datetime
from gateway.store.base import Inbox

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DAY_LENGTH = len("2000-01-01")
_SECONDS_LENGTH = len("2000-01-01T00:00:00Z")
_PAGES_AT_ONCE = 500
_SINGLE = "GetRecord"  # the verb of a record that was requested by itself
_PAGES_KEPT = 16  # in the cache: a list that has a record twice mostly has it on pages close to each other
_MOST_AHEAD_SECONDS = 86_400  # for a source with another clock, or with days of its own time zone


def stated_datestamp(cut: Slice, received_at: int) -> str:
    """Return the datestamp of a version; an empty string if it is wrong, in the future, or not the source's own.

    A deletion with the second in which its page was received is not the source's own: a sweep has noticed it.
    """
    text = cut.datestamp.strip()
    if not _DAY.match(text) or (cut.is_deleted and text == utc_datetime(received_at)):
        return ""
    return "" if text > utc_datetime(received_at + _MOST_AHEAD_SECONDS) else text


def is_older(one: str, other: str) -> bool:
    """Return whether a datestamp is before another; if one is only a day, their days are compared."""
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


class Arrived(NamedTuple):
    """One slice to publish, and its place."""

    page: StoredPage
    place: int
    slice: Slice
    digest: bytes

    @property
    def prefix(self) -> str:
        """Its metadataPrefix at the source."""
        return self.page.page.metadata_prefix

    @property
    def part(self) -> tuple[StoredPage, Slice]:
        """Its page and its slice."""
        return self.page, self.slice

    @property
    def key(self) -> tuple[str, str]:
        """Its prefix and upstream identifier."""
        return self.prefix, self.slice.identifier

    @property
    def place_in_all(self) -> tuple[int, int]:
        """The number of its page and its place there."""
        return self.page.number, self.place

    @property
    def datestamp(self) -> str:
        """Its datestamp as its source states it; empty if that cannot be used."""
        return stated_datestamp(self.slice, self.page.page.received_at)

    def payload(self) -> Payload:
        """Return it as a payload of its item."""
        return Payload(self.prefix, self.page.number, self.place, self.digest, self.slice.is_deleted)

    def bad(self, reason: str) -> Quarantined:
        """Return it as a quarantined record."""
        identifier = self.slice.identifier.encode("utf-8", "backslashreplace").decode()  # no store keeps surrogates
        return Quarantined(self.page.page.source, self.prefix, identifier, self.page.number, self.place, reason)


def is_living(before: Arrived | None, held: Payload | None) -> bool:
    """Return whether a record exists and is not deleted: earlier on these pages, or else in the store."""
    if before is not None:
        return not before.slice.is_deleted
    return held is not None and not held.is_deleted


class Versions:
    """The versions of records in an inbox, compared with versions that arrive.

    `gone_back` counts records that are published with an older datestamp of the source than before; `example` is the
    identifier of one of them.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._headers = lru_cache(maxsize=_PAGES_KEPT)(inbox.headers)
        self.gone_back = 0
        self.example = ""

    def is_superseded(
        self,
        arrived: Arrived,
        before: Arrived | None,
        held: Payload | None,
        deletion: Arrived | None,
        known: Deletion | None,
    ) -> bool:
        """Return whether the same list has a newer version of a record already, or its deletion.

        `before` is the version earlier on these pages, `held` the stored one. `deletion` was earlier on these pages,
        `known` on earlier pages; neither was carried out. If an earlier list had a newer version, this older one is
        what the source has now: it is counted and published. If both alternate, the newer one stays; it also stays if
        the older one was requested by itself.
        """
        begun, datestamp = arrived.page.page.list_begun, arrived.datestamp
        if begun is None:
            return self._is_behind(arrived, before, held)
        if any(
            page > begun and is_older(datestamp, other) for page, other in self._came_before(before, deletion, known)
        ):
            return True
        older = arrived.page, arrived.place
        if before is not None:
            return is_older(datestamp, before.datestamp) and self._take_turns(before.slice, older)
        if held is None or not held.digest or held.digest == arrived.digest:
            return False
        return self._is_older_than_held(arrived, begun, held)

    def _is_older_than_held(self, arrived: Arrived, begun: int, held: Payload) -> bool:
        """Return whether a version is not published because it is older than the stored one."""
        here, older = (held.page, held.slice), (arrived.page, arrived.place)
        if not is_older(arrived.datestamp, self._datestamp(*here)):
            return False
        if held.page > begun or self._has_come_again(arrived.slice.identifier, here, older):
            return True
        if self._take_turns(self._cut(*here), older):
            return True
        self.gone_back += not arrived.slice.waits
        self.example = self.example or arrived.slice.identifier
        return False

    def _is_behind(self, arrived: Arrived, before: Arrived | None, held: Payload | None) -> bool:
        """Return whether a record that was requested by itself is older than the current one, which is not deleted."""
        if arrived.page.page.verb != _SINGLE or not is_living(before, held):
            return False
        if before is not None:
            return is_older(arrived.datestamp, before.datestamp)
        assert held is not None
        return held.digest != arrived.digest and is_older(arrived.datestamp, self._datestamp(held.page, held.slice))

    def _came_before(
        self, before: Arrived | None, deletion: Arrived | None, known: Deletion | None
    ) -> Iterator[tuple[int, str]]:
        """Yield page and datestamp of the versions that are not stored yet: on these pages, or deletions."""
        if deletion is not None and (before is None or deletion.place_in_all > before.place_in_all):
            yield deletion.page.number, deletion.datestamp
        if before is not None:
            yield before.page.number, before.datestamp
        elif deletion is None and known is not None:
            yield known.page, self._datestamp(known.page, known.slice)

    def _datestamp(self, page: int, place: int) -> str:
        """Return the datestamp of the version at a place of a page; empty if it has none, or the page is lost."""
        try:
            stored = self._headers(page)
        except PageLost:
            return ""
        known = stored.slices[place : place + 1]
        return stated_datestamp(known[0], stored.page.received_at) if known else ""

    def _has_come_again(self, identifier: str, held: tuple[int, int], before: tuple[StoredPage, int]) -> bool:
        """Return whether the stored version came again in the list of a page, before a place on that page.

        Nothing was written then, because it was unchanged. `held` is the page and place of the stored version.
        """
        page, place = before
        version = _version(self._cut(*held)._replace(identifier=identifier))
        if any(_version(record) == version for record in page.slices[:place]):
            return True
        return version in _listed(self._inbox, page)

    def _cut(self, page: int, place: int) -> Slice:
        """Return the version at a place of a page. Raise PageLost."""
        return self._headers(page).slices[place]

    def _take_turns(self, newer: Slice, older: tuple[StoredPage, int]) -> bool:
        """Return whether two versions alternate, because the source has both of them at the same time.

        That is so if the older one arrived between two arrivals of the newer one.
        """
        page, place = older
        came = _came(self._inbox, page)
        times = [came.get(_version(slice_)) for slice_ in (newer, page.slices[place])]
        if None in times:
            return False
        (first, last), (_, between) = times  # type: ignore[misc]  # none is None
        return bool(first < between < last)


def _version(cut: Slice) -> int:
    return hash((cut.identifier, cut.datestamp, cut.is_deleted))


# The first and the last page of each version: by inbox, and by source and format. It is read only if a record seems to
# have gone back to an older datestamp, and reads each page once.
_CAME: WeakKeyDictionary[Inbox, dict[tuple[str, str], _Came]] = WeakKeyDictionary()


@dataclass(slots=True)
class _Came:
    """The first and the last page of each version, up to a page, by their hashes."""

    number: int = 0
    versions: dict[int, tuple[int, int]] = field(default_factory=dict)


def _came(inbox: Inbox, page: StoredPage) -> dict[int, tuple[int, int]]:
    """Return the first and the last page, before this one, of all versions of its source and format."""
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


# The versions on earlier pages of a list: by inbox, and by source and format. It is read only if a record seems to have
# gone back to an older datestamp, and reads each page once.
_LISTED: WeakKeyDictionary[Inbox, dict[tuple[str, str], _Listed]] = WeakKeyDictionary()


@dataclass(slots=True)
class _Listed:
    """The versions of a list up to a page, as hashes."""

    begun: int
    number: int
    versions: set[int] = field(default_factory=set)


def _listed(inbox: Inbox, page: StoredPage) -> set[int]:
    """Return at least the versions that the list of a page has on the pages before it."""
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
    while numbers := [number for number, _ in inbox.extents(source, after, _PAGES_AT_ONCE) if number < before]:
        for stored in map(inbox.headers, numbers):
            if stored.page.metadata_prefix == metadata_prefix:
                yield stored
        after = numbers[-1]
