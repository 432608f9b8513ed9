"""The write path, the one place where formats meet the store: what lies in the inbox becomes published records.

Pages are read forward from a position that moves in the same transaction as the records, so that any of this may be
killed and repeated without effect. What did not change is left alone, and keeps its datestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple, TypeAlias

from gateway.errors import IntentExpired, PositionMoved, StoreError
from gateway.items import TRIES, Change, Payloads, given_of, introduce, payloads_of, write
from gateway.mapping import Prepared, SourceFacts, Task, is_legal_identifier, prepare
from gateway.model import Payload, Publication, Quarantined, Slice, StoredPage
from gateway.names import local_set
from gateway.store.base import Inbox, Store

__all__ = ["Counts", "SourceFacts", "given_of", "local_set", "publish_all", "publish_pending"]

Mapper: TypeAlias = Callable[[Callable[[Task], Prepared], Iterable[Task]], Iterable[Prepared]]

_DIGEST_BYTES = 16


@dataclass(slots=True)
class Counts:
    """What became of the records of some pages: `received` is the sum of the four below it.

    `ignored` are deletions of what was never held. `stamped` counts the records, of all formats, with a new datestamp.
    """

    pages: int = 0
    received: int = 0
    published: int = 0
    unchanged: int = 0
    quarantined: int = 0
    ignored: int = 0
    stamped: int = 0


class _Arrived(NamedTuple):
    """One slice that is looked at, and where it lies."""

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

    def payload(self) -> Payload:
        return Payload(self.prefix, self.page.number, self.place, self.digest, self.slice.is_deleted)

    def bad(self, reason: str) -> Quarantined:
        identifier = self.slice.identifier.encode("utf-8", "backslashreplace").decode()  # no store keeps surrogates
        return Quarantined(self.page.page.source, self.prefix, identifier, self.page.number, self.place, reason)


def publish_pending(
    store: Store,
    inbox: Inbox,
    source: str,
    facts: SourceFacts,
    mapper: Mapper = map,
    limit_pages: int = 1,
) -> Counts:
    """Publish the next pages of a source, at most `limit_pages`; `pages` of the counts is 0 when there are none.

    `mapper` maps like the builtin, for instance a pool's. Raise StoreError when the store does not know the source,
    and what the store raises.
    """
    _check_known(store, source)
    introduce(store, facts)
    for _ in range(TRIES):
        before = store.position(source)
        pages = list(islice(inbox.pages(source, before), limit_pages))
        if not pages:
            return Counts()
        try:
            return _Batch(store, inbox, facts, pages, mapper).publish(before)
        except (IntentExpired, PositionMoved):
            continue
    raise StoreError(
        f"The pages of {source} after {before} could not be published: other processes were faster {TRIES} times."
    )


def publish_all(
    store: Store,
    inbox: Inbox,
    source: str,
    facts: SourceFacts,
    mapper: Mapper,
    limit_pages: int = 1,
) -> Iterator[Counts]:
    """Publish everything that is pending, and yield the counts of each publication.

    As `publish_pending`, but the next pages are on their way through `mapper` while these are written: with a pool,
    mapping and writing go on side by side.
    """
    _check_known(store, source)
    introduce(store, facts)

    def begun(after: int) -> _Batch | None:
        pages = list(islice(inbox.pages(source, after), limit_pages))
        return _Batch(store, inbox, facts, pages, mapper) if pages else None

    before = store.position(source)
    batch = begun(before)
    while batch is not None:
        following = begun(batch.last)
        try:
            yield batch.publish(before)
            before = batch.last
        except (IntentExpired, PositionMoved):
            yield publish_pending(store, inbox, source, facts, mapper, limit_pages)
            before, following = store.position(source), None
        # What was begun before its items were written knows an older state of them.
        batch = following if following is not None and not following.touches(batch) else begun(before)


def _check_known(store: Store, name: str) -> None:
    with store.view() as view:
        if all(each.name != name for each in view.sources()):
            raise StoreError(f"There is no source {name!r}; it must be added before something of it is published.")


class _Batch:
    """The records of some pages, on their way into the store."""

    def __init__(
        self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage], mapper: Mapper
    ) -> None:
        """Look at the records, and send those that changed to be mapped."""
        self._store, self._facts = store, facts
        self.last = pages[-1].number
        self._payloads = Payloads(store, inbox, facts, pages)
        self.counts = Counts(pages=len(pages))
        self._quarantined: dict[tuple[str, str], list[Quarantined]] = {}  # by prefix and upstream identifier
        self._good: list[tuple[str, str]] = []
        self._has_quarantine = store.counts(facts.name)["quarantined"] > 0
        arrived = self._usable(pages)
        self._upstreams = {each.slice.identifier for each in arrived}
        self._states = store.states(facts.name, tuple(self._upstreams))
        self._changed = self._without_known(arrived)
        tasks = [self._task(upstream, parts) for upstream, parts in self._changed.items()]
        self._mapped = mapper(prepare, tasks)

    def touches(self, other: _Batch) -> bool:
        """Tell whether an item is in both."""
        return not self._upstreams.isdisjoint(other._upstreams)

    def publish(self, before: int) -> Counts:
        """Write what became of the records, when the position is still at `before`."""
        changes = []
        for prepared in self._mapped:
            found = self._settled(prepared, self._changed[prepared.upstream])
            if found is not None:
                changes.append(found)
        quarantined = tuple(bad for bads in self._quarantined.values() for bad in bads)
        position = (before, self.last)
        publication = Publication(self._facts.name, (), quarantined, tuple(self._good), position)
        self.counts.stamped = write(self._store, publication, changes)
        return self.counts

    def _task(self, upstream: str, parts: Mapping[str, _Arrived]) -> Task:
        state = self._states.get(upstream)
        return self._payloads.task(upstream, {prefix: each.part for prefix, each in parts.items()}, state)

    def _usable(self, pages: Sequence[StoredPage]) -> list[_Arrived]:
        """Return the slices that name an item; the others go to quarantine."""
        usable = []
        for page in pages:
            text = page.page.repaired or page.page.body
            self.counts.received += len(page.slices)
            for place, each in enumerate(page.slices):
                arrived = _Arrived(page, place, each, _digest(each, text))
                reason = each.problem
                if not reason and not is_legal_identifier(each.identifier):
                    reason = "The record has no usable identifier."
                if reason:
                    self._refuse(arrived, reason)
                else:
                    usable.append(arrived)
        return usable

    def _release(self, arrived: _Arrived) -> None:
        """Take a record out of quarantine, also what went there from an earlier place of the same pages."""
        key = (arrived.prefix, arrived.slice.identifier)
        bads = self._quarantined.pop(key, ())
        later = [bad for bad in bads if (bad.page, bad.slice) > (arrived.page.number, arrived.place)]
        if later:
            self._quarantined[key] = later
        elif self._has_quarantine:
            self._good.append(key)

    def _refuse(self, arrived: _Arrived, reason: str) -> None:
        self.counts.quarantined += 1
        key = (arrived.prefix, arrived.slice.identifier)
        self._quarantined.setdefault(key, []).append(arrived.bad(reason))

    def _without_known(self, arrived: list[_Arrived]) -> dict[str, dict[str, _Arrived]]:
        """Return what is new, by upstream identifier and prefix; of one record that came twice, the last."""
        changed: dict[str, dict[str, _Arrived]] = {}
        for each in arrived:
            upstream, prefix = each.slice.identifier, each.prefix
            held = payloads_of(self._states.get(upstream))
            parts = changed.setdefault(upstream, {})
            if parts.pop(prefix, None) is not None:
                self.counts.unchanged += 1  # the one that came before is superseded within this batch
            if each.slice.is_deleted and prefix not in held:
                self.counts.ignored += 1
            elif prefix in held and held[prefix].digest == each.digest:
                self.counts.unchanged += 1
                self._release(each)
            else:
                parts[prefix] = each
        return {upstream: parts for upstream, parts in changed.items() if parts}

    def _settled(self, prepared: Prepared, parts: Mapping[str, _Arrived]) -> Change | None:
        """Count what became of an item, and return what is to be written; the good half of a bad item stays."""
        reasons = dict(prepared.problems)
        good = {prefix: each for prefix, each in parts.items() if prefix not in reasons}
        for prefix, each in parts.items():
            if prefix in reasons:
                self._refuse(each, reasons[prefix])
        if not good:
            return None
        if len(good) < len(parts):
            prepared = prepare(self._task(prepared.upstream, good))
        if prepared.problems:  # what was held cannot be read any more: the last good version stays as it is
            for each in good.values():
                self._refuse(each, prepared.problems[0][1])
            return None
        self.counts.published += len(good)
        for each in good.values():
            self._release(each)
        payloads = tuple(each.payload() for each in good.values())
        return Change(prepared, payloads, self._states.get(prepared.upstream))


def _digest(cut: Slice, text: bytes) -> bytes:
    """Return what says whether a record came again as it was: everything but where and when it came."""
    digest = blake2b(text[cut.start : cut.stop], digest_size=_DIGEST_BYTES)
    digest.update(repr((cut.datestamp, cut.sets, cut.is_deleted, cut.declarations)).encode("utf-8", "surrogatepass"))
    for start, stop in cut.abouts:
        digest.update(text[start:stop])
    return digest.digest()
