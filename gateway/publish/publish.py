"""Publication: makes published records of the pages in the inbox. Here, formats meet the store.

Pages are read forward from a position that moves in the transaction of the records. So it can be killed at any moment
and repeated without effect. A record that has not changed keeps its datestamp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.model import Deletion, Payload, Publication, Quarantined, Slice, StoredPage
from gateway.core.names import local_set
from gateway.core.xmltext import utc_datetime
from gateway.publish.items import TRIES, Change, Payloads, given_of, introduce, keep_note, payloads_of, write
from gateway.publish.mapping import Prepared, SourceFacts, Task, is_legal_identifier, prepare
from gateway.publish.rebuild import bury_all
from gateway.publish.versions import Versions, is_older, stated_datestamp
from gateway.store.base import Inbox, Store

__all__ = [
    "Counts",
    "SourceFacts",
    "begin",
    "given_of",
    "local_set",
    "pass_removals",
    "publish_in_turn",
    "publish_pending",
]

_DIGEST_BYTES = 16
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MARGIN_SECONDS = 2 * 86_400  # for the overlap of harvests, and for sources with another clock or time zone

_SINGLE = "GetRecord"  # the verb of a record that was requested by itself

# A few seconds of work: a page may have a whole repository, but an intent lives for a minute, and a lock for less.
_MOST_AT_ONCE = 5_000
_MOST_BYTES_AT_ONCE = 16_000_000  # of payloads; their records take several times as much memory


@dataclass(slots=True)
class Counts:
    """The results for the records of some pages: `received` is the sum of the six fields below it.

    `ignored` counts deletions of unknown records, `older_versions` versions of which the same list has a newer one,
    `held_back` deletions that wait for a person. `stamped` counts the records, of all formats, with a new datestamp.
    `gone_back` counts records published with an older datestamp of the source than before; `example` is one of them.
    """

    pages: int = 0
    received: int = 0
    published: int = 0
    unchanged: int = 0
    quarantined: int = 0
    ignored: int = 0
    older_versions: int = 0
    held_back: int = 0
    stamped: int = 0
    gone_back: int = 0
    example: str = ""

    def add(self, other: Counts) -> None:
        """Add the results for other records."""
        self.example = self.example or other.example
        for field_ in fields(self)[:-1]:
            setattr(self, field_.name, getattr(self, field_.name) + getattr(other, field_.name))


class _Arrived(NamedTuple):
    """One slice to publish, and its place."""

    page: StoredPage
    place: int
    slice: Slice
    digest: bytes

    @property
    def prefix(self) -> str:
        return self.page.page.metadata_prefix

    @property
    def part(self) -> tuple[StoredPage, Slice]:
        return self.page, self.slice

    @property
    def key(self) -> tuple[str, str]:
        return self.prefix, self.slice.identifier

    @property
    def place_in_all(self) -> tuple[int, int]:
        return self.page.number, self.place

    @property
    def datestamp(self) -> str:
        return stated_datestamp(self.slice, self.page.page.received_at)

    def payload(self) -> Payload:
        return Payload(self.prefix, self.page.number, self.place, self.digest, self.slice.is_deleted)

    def bad(self, reason: str) -> Quarantined:
        identifier = self.slice.identifier.encode("utf-8", "backslashreplace").decode()  # no store keeps surrogates
        return Quarantined(self.page.page.source, self.prefix, identifier, self.page.number, self.place, reason)


class _Outdated(Exception):
    """Another publication has changed an item since this one read it."""


def publish_pending(store: Store, inbox: Inbox, source: str, facts: SourceFacts, limit_pages: int = 1) -> Counts:
    """Publish the next pages of a source, at most `limit_pages`, and return the counts; `pages` is 0 if there are none.

    Raise StoreError if the source is not in the store or other processes are always faster, and the errors of the
    store.
    """
    begin(store, inbox, facts)
    for _ in range(TRIES):
        before = store.position(source)
        try:
            return _next_published(store, inbox, facts, before, limit_pages)
        except PositionMoved:
            continue
    raise _beaten(source, before)


def _next_published(store: Store, inbox: Inbox, facts: SourceFacts, before: int, limit_pages: int) -> Counts:
    """Publish the next pages, or the removal of the source that follows them, which counts as a page."""
    removal = inbox.removal(facts.name, before)
    pending = inbox.pages(facts.name, before)
    if removal is not None:  # pages that were not published before the removal are never published
        last = removal.position
        pending = takewhile(lambda page: page.number <= last, pending)
    if pages := list(islice(pending, limit_pages)):
        return _published(store, inbox, facts, pages, before)
    if removal is None:
        return Counts()
    bury_all(store, facts.name)
    store.advance(facts.name, before, removal.number)
    return Counts(pages=1)


def pass_removals(store: Store, inbox: Inbox, facts: SourceFacts) -> None:
    """Publish until no removal of the source is left to publish; `publish_in_turn` does not publish removals.

    One is left if its command was killed, or if the store is an older copy than the inbox. Raise StoreError when a
    removal cannot be published.
    """
    while inbox.removal(facts.name, store.position(facts.name)) is not None:
        publish_pending(store, inbox, facts.name, facts)


def _published(store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage], before: int) -> Counts:
    """Publish these pages, a large page in parts; only the last part moves the position. Raise PositionMoved."""
    counts = Counts()
    for places in _parts(pages):
        for _ in range(TRIES):
            try:
                counts.add(_Batch(store, inbox, facts, pages, places).publish(before))
                break
            except (IntentExpired, FilesChanged):
                continue
        else:
            raise _beaten(facts.name, before)
    return counts


def _parts(pages: Sequence[StoredPage]) -> tuple[slice, ...]:
    """Return the parts of the pages that are published at once, as slices; the last part has no end."""
    if len(pages) > 1:
        return (slice(None),)
    ends, begin, size = [0], 0, 0
    for place, cut in enumerate(pages[0].slices):
        if place > begin and (place - begin == _MOST_AT_ONCE or size > _MOST_BYTES_AT_ONCE):
            ends.append(place)
            begin, size = place, 0
        size += cut.stop - cut.start
    return (*(slice(one, other) for one, other in pairwise(ends)), slice(ends[-1], None))


def begin(store: Store, inbox: Inbox, facts: SourceFacts) -> None:
    """Store the facts that `publish_in_turn` needs, in the store and as a note in the inbox.

    Raise StoreError if the source is not in the store.
    """
    with store.view() as view:
        if all(source.name != facts.name for source in view.sources()):
            raise StoreError(
                f"The source {facts.name!r} is not in the store, so nothing of it can be published. Add it first."
            )
    introduce(store, facts)
    keep_note(store, inbox, facts.name)


def publish_in_turn(
    store: Store, inbox: Inbox, facts: SourceFacts, before: int, numbers: Iterable[int], turn: Callable[[], None]
) -> Counts:
    """Publish these pages, which follow the position `before`, while other processes publish those around them.

    Everything is prepared first; `turn` returns when all pages up to `before` are published. If these have changed an
    item, the pages are mapped again. Raise StoreError if that happens too often, and the errors of the store and of
    `turn`.
    """
    pages = [inbox.page(number) for number in numbers]
    if len(_parts(pages)) > 1:
        turn()
        return _published(store, inbox, facts, pages, before)
    wait = turn
    for _ in range(TRIES):
        is_first = store.position(facts.name) == before  # before anything is read
        batch = _Batch(store, inbox, facts, pages)

        def ready(batch: _Batch = batch, wait: Callable[[], None] = wait, is_first: bool = is_first) -> None:
            wait()
            if not is_first and batch.is_outdated():
                raise _Outdated

        try:
            return batch.publish(before, ready)
        except (IntentExpired, FilesChanged, _Outdated):
            wait = _at_once
    raise _beaten(facts.name, before)


def _at_once() -> None:
    """Return at once: there is nothing to wait for."""


def _beaten(source: str, before: int) -> StoreError:
    return StoreError(
        f"The pages of {source} after {before} were not published: other processes were faster {TRIES} times. "
        "Publish again."
    )


class _Batch:
    """One publication of the records of some pages."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        facts: SourceFacts,
        pages: Sequence[StoredPage],
        places: slice = slice(None),
    ) -> None:
        """Read the records at these places, and map those that changed. The last places complete the pages."""
        self._store, self._facts = store, facts
        self._places = places
        self._last = pages[-1].number if places.stop is None else None
        self._payloads = Payloads(store, inbox, facts, pages)
        self._counts = Counts(pages=0 if self._last is None else len(pages))
        self._quarantined: dict[tuple[str, str], list[Quarantined]] = {}  # by prefix and upstream identifier
        self._good: list[tuple[str, str]] = []
        self._restored = inbox.restored()
        self._has_quarantine = store.counts(facts.name)["quarantined"] > 0
        self._versions = Versions(inbox)
        arrived = self._usable(pages)
        self._upstreams = {entry.slice.identifier for entry in arrived}
        self._deletions: dict[tuple[str, str], _Arrived] = {}  # those that are not carried out
        self._held_back: set[tuple[str, str]] = set()  # those of them that wait for a person
        self._settled_deletions: list[tuple[str, str]] = []
        self._known_deletions = store.deletions_of(facts.name, self._upstreams)
        self._deleted_before = {
            (known_deletion.metadata_prefix, known_deletion.identifier): known_deletion
            for known_deletion in self._known_deletions
        }
        self._takedowns = store.takedowns()
        self._edition = store.edition(facts.name)  # before the states: a later change of files raises it
        self._states = store.states(facts.name, tuple(self._upstreams))
        settled = (self._settled(upstream, parts) for upstream, parts in self._without_known(arrived).items())
        self._changes = [change for change in settled if change is not None]

    def is_outdated(self) -> bool:
        """Return whether the state of these items in the store has changed since."""
        states = self._store.states(self._facts.name, tuple(self._upstreams))
        deletions = self._store.deletions_of(self._facts.name, self._upstreams)
        return states != self._states or deletions != self._known_deletions

    def publish(self, before: int, ready: Callable[[], None] = _at_once) -> Counts:
        """Write the records when `ready` has returned, if the position is still at `before`; return the counts."""
        quarantined = tuple(bad for bads in self._quarantined.values() for bad in bads)
        position = (before, before if self._last is None else self._last)
        publication = Publication(
            self._facts.name,
            quarantined=quarantined,
            released=tuple(self._good),
            position=position,
            edition=self._edition,
            takedowns=self._takedowns.revision,
            deletions=tuple(
                Deletion(*key, *deletion.place_in_all, key in self._held_back)
                for key, deletion in self._deletions.items()
            ),
            settled=tuple(self._settled_deletions),
        )
        self._counts.stamped = write(self._store, publication, self._changes, ready)
        return self._counts

    def _task(self, upstream: str, parts: Mapping[str, _Arrived]) -> Task:
        arrived = {prefix: part.part for prefix, part in parts.items()}
        return self._payloads.task(upstream, arrived, self._states.get(upstream), self._takedowns)

    def _usable(self, pages: Sequence[StoredPage]) -> list[_Arrived]:
        """Return the slices with a usable identifier; put the others into quarantine."""
        usable = []
        for page in pages:
            text = page.page.repaired or page.page.body
            places = range(len(page.slices))[self._places]
            self._counts.received += len(places)
            for place in places:
                slice_ = page.slices[place]
                arrived = _Arrived(page, place, slice_, _digest(slice_, text))
                reason = slice_.problem
                if not reason and not is_legal_identifier(slice_.identifier):
                    reason = "The record has no usable identifier."
                if reason:
                    self._refuse(arrived, reason)
                else:
                    usable.append(arrived)
        return usable

    def _release(self, arrived: _Arrived) -> None:
        """Take a record out of quarantine, also one from an earlier place on the same pages.

        An earlier deletion of it that was not carried out is removed too.
        """
        key = arrived.key
        if self._deleted_before.pop(key, None):
            self._settled_deletions.append(key)
        if key in self._deletions and self._deletions[key].place_in_all < arrived.place_in_all:
            del self._deletions[key]
        bads = self._quarantined.pop(key, ())
        later = [bad for bad in bads if (bad.page, bad.slice) > (arrived.page.number, arrived.place)]
        if later:
            self._quarantined[key] = later
        elif self._has_quarantine:
            self._good.append(key)

    def _refuse(self, arrived: _Arrived, reason: str) -> None:
        self._counts.quarantined += 1
        self._quarantined.setdefault(arrived.key, []).append(arrived.bad(reason))

    def _without_known(self, arrived: list[_Arrived]) -> dict[str, dict[str, _Arrived]]:
        """Return the new slices, by upstream identifier and prefix; of one that came twice, the newer or last one."""
        changed: dict[str, dict[str, _Arrived]] = {}
        for entry in arrived:
            upstream, prefix = entry.slice.identifier, entry.prefix
            held = payloads_of(self._states.get(upstream))
            parts = changed.setdefault(upstream, {})
            if self._is_superseded(entry, parts.get(prefix), held.get(prefix)):
                self._counts.older_versions += 1
                continue
            if entry.slice.waits and self._is_living(parts.get(prefix), held.get(prefix)):
                self._counts.held_back += 1
                self._held_back.add(entry.key)
                self._deletions[entry.key] = entry
                continue
            if parts.pop(prefix, None) is not None:
                self._counts.unchanged += 1  # the earlier one is replaced within this batch
            if entry.slice.is_deleted and prefix not in held and not self._may_have_lost(entry):
                self._counts.ignored += 1
                self._release(entry)  # an unusable version of it is obsolete
                if entry.page.page.list_begun is not None:
                    self._held_back.discard(entry.key)
                    self._deletions[entry.key] = entry
            elif prefix in held and held[prefix].digest == entry.digest and not self._payloads.is_lost(held[prefix]):
                self._counts.unchanged += 1
                self._release(entry)
            else:
                parts[prefix] = entry
        return {upstream: parts for upstream, parts in changed.items() if parts}

    def _is_superseded(self, arrived: _Arrived, before: _Arrived | None, held: Payload | None) -> bool:
        """Return whether the same list has a newer version of a record already, or its deletion.

        `before` is the version earlier on these pages, `held` the stored one. If an earlier list had a newer version,
        this older one is what the source has now: it is counted and published. If both alternate, the newer one stays;
        it also stays if the older one was requested by itself.
        """
        begun, datestamp = arrived.page.page.list_begun, arrived.datestamp
        if begun is None:
            return self._is_behind(arrived, before, held)
        if any(page > begun and is_older(datestamp, other) for page, other in self._came_before(arrived, before)):
            return True
        older = arrived.page, arrived.place
        if before is not None:
            return is_older(datestamp, before.datestamp) and self._versions.take_turns(before.slice, older)
        if held is None or not held.digest or held.digest == arrived.digest:
            return False
        return self._is_older_than_held(arrived, begun, held)

    def _is_older_than_held(self, arrived: _Arrived, begun: int, held: Payload) -> bool:
        """Return whether a version is not published because it is older than the stored one."""
        versions, here, older = self._versions, (held.page, held.slice), (arrived.page, arrived.place)
        if not is_older(arrived.datestamp, versions.datestamp(*here)):
            return False
        if held.page > begun or versions.has_come_again(arrived.slice.identifier, here, older):
            return True
        if versions.take_turns(versions.cut(*here), older):
            return True
        self._counts.gone_back += not arrived.slice.waits
        self._counts.example = self._counts.example or arrived.slice.identifier
        return False

    def _is_behind(self, arrived: _Arrived, before: _Arrived | None, held: Payload | None) -> bool:
        """Return whether a record that was requested by itself is older than the current one, which is not deleted."""
        if arrived.page.page.verb != _SINGLE or not self._is_living(before, held):
            return False
        if before is not None:
            return is_older(arrived.datestamp, before.datestamp)
        assert held is not None
        return held.digest != arrived.digest and is_older(
            arrived.datestamp, self._versions.datestamp(held.page, held.slice)
        )

    def _came_before(self, arrived: _Arrived, before: _Arrived | None) -> Iterator[tuple[int, str]]:
        """Yield page and datestamp of the versions that are not stored yet: on these pages, or deletions."""
        deletion = self._deletions.get(arrived.key)
        if deletion is not None and (before is None or deletion.place_in_all > before.place_in_all):
            yield deletion.page.number, deletion.datestamp
        if before is not None:
            yield before.page.number, before.datestamp
        elif deletion is None and (known := self._deleted_before.get(arrived.key)):
            yield known.page, self._versions.datestamp(known.page, known.slice)

    @staticmethod
    def _is_living(before: _Arrived | None, held: Payload | None) -> bool:
        if before is not None:
            return not before.slice.is_deleted
        return held is not None and not held.is_deleted

    def _may_have_lost(self, arrived: _Arrived) -> bool:
        """Return whether a deletion may be that of a published record that was lost when the inbox was restored.

        Harvesters may have this record, so its deletion must be published although the record is unknown here.
        """
        text = arrived.slice.datestamp.strip()
        return any(
            restoration.number < arrived.page.number
            and (not _DAY.match(text) or text[:10] >= _day_before(restoration.since))
            for restoration in self._restored
        )

    def _settled(self, upstream: str, parts: Mapping[str, _Arrived]) -> Change | None:
        """Map and count an item, and return the change to write; of an item with problems, the good payloads."""
        prepared = prepare(self._task(upstream, parts))
        if prepared.problems:
            return self._half(prepared, parts)
        return self._change(prepared, parts)

    def _half(self, prepared: Prepared, parts: Mapping[str, _Arrived]) -> Change | None:
        reasons = dict(prepared.problems)
        good = {prefix: part for prefix, part in parts.items() if prefix not in reasons}
        for prefix, entries in parts.items():
            if prefix in reasons:
                self._refuse(entries, reasons[prefix])
        if not good:
            return None
        if len(good) < len(parts):
            prepared = prepare(self._task(prepared.upstream, good))
        if prepared.problems:  # a stored payload can no longer be read: the last good version stays unchanged
            for entries in good.values():
                self._refuse(entries, prepared.problems[0][1])
            return None
        return self._change(prepared, good)

    def _change(self, prepared: Prepared, good: Mapping[str, _Arrived]) -> Change:
        self._counts.published += len(good)
        for part in good.values():
            self._release(part)
        payloads = tuple([part.payload() for part in good.values()])
        return Change(prepared, payloads, self._states.get(prepared.upstream))


def _day_before(second: int) -> str:
    """Return the first day of datestamps that may have been lost after a second; clocks may differ."""
    return utc_datetime(second - _MARGIN_SECONDS)[:10]


def _digest(cut: Slice, text: bytes) -> bytes:
    """Return the digest that recognizes an unchanged record: of everything except its place and time of arrival."""
    digest = blake2b(text[cut.start : cut.stop], digest_size=_DIGEST_BYTES)
    digest.update(_common(cut.sets, cut.is_deleted, cut.declarations))
    digest.update(cut.datestamp.encode("utf-8", "surrogatepass"))
    for start, stop in cut.abouts:
        digest.update(text[start:stop])
    return digest.digest()


@lru_cache(maxsize=1024)
def _common(*headers: object) -> bytes:
    """Return as bytes what many records of a source have in common."""
    return repr(headers).encode("utf-8", "surrogatepass")
