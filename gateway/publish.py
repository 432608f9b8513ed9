"""The write path, the one place where formats meet the store: what lies in the inbox becomes published records.

Pages are read forward from a position that moves in the same transaction as the records, so that any of this may be
killed and repeated without effect. What did not change is left alone, and keeps its datestamp.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple, TypeAlias

from gateway import xmlio
from gateway.errors import IntentExpired, NotXml, PositionMoved, StoreError
from gateway.formats import written
from gateway.mapping import (
    Given,
    Prepared,
    SourceFacts,
    Task,
    is_legal_identifier,
    most_specific,
    prepare,
    record,
    tombstone,
)
from gateway.model import (
    Format,
    ItemChange,
    ItemState,
    Payload,
    Publication,
    Quarantined,
    RawPage,
    Record,
    Slice,
    Source,
    StoredPage,
)
from gateway.names import local_set
from gateway.store.base import Inbox, Store

__all__ = ["Counts", "SourceFacts", "local_set", "publish_pending", "rebuild", "remove_source"]

Mapper: TypeAlias = Callable[[Callable[[Task], Prepared], Iterable[Task]], Iterable[Prepared]]

_TRIES = 5  # an intent expires only when this machine stood still for a minute; five times is another trouble
_BATCH = 500  # items of one transaction when the whole store is walked
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

    def payload(self) -> Payload:
        return Payload(self.prefix, self.page.number, self.place, self.digest, self.slice.is_deleted)

    def bad(self, reason: str) -> Quarantined:
        return Quarantined(
            self.page.page.source, self.prefix, self.slice.identifier, self.page.number, self.place, reason
        )


def publish_pending(
    store: Store,
    inbox: Inbox,
    source: str,
    facts: SourceFacts,
    mapper: Mapper = map,
    limit_pages: int = 1,
) -> Counts:
    """Publish the next pages of a source, at most `limit_pages`; `pages` of the counts is 0 when there are none.

    `mapper` maps like the builtin, for instance a pool's. Raise what the store raises.
    """
    _prepare_store(store, facts)
    for _ in range(_TRIES):
        before = store.position(source)
        pages = list(islice(inbox.pages(source, before), limit_pages))
        if not pages:
            return Counts()
        try:
            return _Batch(store, inbox, facts, pages).publish(mapper, before)
        except (IntentExpired, PositionMoved):
            continue
    raise StoreError(
        f"The pages of {source} after {before} could not be published: other processes were faster {_TRIES} times."
    )


class _Batch:
    """The records of some pages, on their way into the store."""

    def __init__(self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage]) -> None:
        self._store, self._inbox, self._facts, self._pages = store, inbox, facts, pages
        self._by_number = {page.number: page for page in pages}
        self._exposed = _Exposed(store, facts)
        self.counts = Counts(pages=len(pages))
        self._quarantined: list[Quarantined] = []
        self._good: list[tuple[str, str]] = []
        self._has_quarantine = store.counts(facts.name)["quarantined"] > 0

    def publish(self, mapper: Mapper, before: int) -> Counts:
        arrived = self._usable()
        states = self._store.states(self._facts.name, tuple({each.slice.identifier for each in arrived}))
        changed = self._changed(arrived, states)
        tasks = [self.task(upstream, parts, states.get(upstream)) for upstream, parts in changed.items()]
        changes = []
        for prepared in mapper(prepare, tasks):
            parts = changed[prepared.upstream]
            found = self._settled(prepared, parts, states.get(prepared.upstream))
            if found is not None:
                changes.append(found)
        position = (before, self._pages[-1].number)
        publication = Publication(self._facts.name, (), tuple(self._quarantined), tuple(self._good), position)
        self.counts.stamped = _write(self._store, publication, changes)
        return self.counts

    def _usable(self) -> list[_Arrived]:
        """Return the slices that name an item; the others go to quarantine."""
        usable = []
        for page in self._pages:
            text = page.page.repaired or page.page.body
            for place, each in enumerate(page.slices):
                self.counts.received += 1
                arrived = _Arrived(page, place, each, _digest(each, text))
                reason = each.problem or (
                    "" if is_legal_identifier(each.identifier) else "The record has no usable identifier."
                )
                if reason:
                    self._refuse(arrived, reason)
                else:
                    usable.append(arrived)
        return usable

    def _release(self, arrived: _Arrived) -> None:
        if self._has_quarantine:
            self._good.append((arrived.prefix, arrived.slice.identifier))

    def _refuse(self, arrived: _Arrived, reason: str) -> None:
        self.counts.quarantined += 1
        self._quarantined.append(arrived.bad(reason))

    def _changed(self, arrived: list[_Arrived], states: Mapping[str, ItemState]) -> dict[str, dict[str, _Arrived]]:
        """Return what is new, by upstream identifier and prefix; of one record that came twice, the last."""
        changed: dict[str, dict[str, _Arrived]] = {}
        for each in arrived:
            upstream, state = each.slice.identifier, states.get(each.slice.identifier)
            held = _held(state)
            if each.slice.is_deleted and each.prefix not in held and each.prefix not in changed.get(upstream, {}):
                self.counts.ignored += 1
                continue
            parts = changed.setdefault(upstream, {})
            if each.prefix in parts:
                self.counts.unchanged += 1  # the one that came before is superseded within this batch
                del parts[each.prefix]
            if each.prefix in held and held[each.prefix].digest == each.digest and not _is_revived(each, state):
                self.counts.unchanged += 1
                self._release(each)
            else:
                parts[each.prefix] = each
        return {upstream: parts for upstream, parts in changed.items() if parts}

    def task(self, upstream: str, parts: Mapping[str, _Arrived], state: ItemState | None) -> Task:
        given = [self._given(each.page, each.slice) for each in parts.values()]
        given += [self._held_payload(payload) for prefix, payload in _held(state).items() if prefix not in parts]
        given.sort()
        held_sets: tuple[str, ...] = ()
        if state is not None and all(each.is_deleted for each in given):
            held_sets = self._store.item_sets(state.number)
        return Task(self._facts, upstream, tuple(given), held_sets)

    def _given(self, page: StoredPage, cut: Slice) -> Given:
        return given_of(page.page, cut, self._exposed.name(page.page, cut))

    def _held_payload(self, payload: Payload) -> Given:
        page = self._by_number.get(payload.page) or self._inbox.page(payload.page)
        return self._given(page, page.slices[payload.slice])

    def _settled(self, prepared: Prepared, parts: Mapping[str, _Arrived], state: ItemState | None) -> _Change | None:
        """Count what became of an item, and return what is to be written; the good half of a bad item stays."""
        reasons = dict(prepared.problems)
        bad = [each for prefix, each in parts.items() if prefix in reasons]
        for each in bad:
            self._refuse(each, reasons[each.prefix])
        good = {prefix: each for prefix, each in parts.items() if prefix not in reasons}
        if bad:
            if not good:
                return None
            prepared = prepare(self.task(prepared.upstream, good, state))
        if prepared.problems:  # what was held cannot be read any more: the last good version stays as it is
            for each in good.values():
                self._refuse(each, prepared.problems[0][1])
            return None
        self.counts.published += len(good)
        for each in good.values():
            self._release(each)
        return _Change(prepared, tuple(each.payload() for each in good.values()), state)


class _Change(NamedTuple):
    """One item that is to be written, and what the store holds of it."""

    prepared: Prepared
    payloads: tuple[Payload, ...]
    state: ItemState | None


def _write(store: Store, publication: Publication, changes: Sequence[_Change]) -> int:
    """Write a publication; without any change only the position moves."""
    if not changes and not publication.quarantined and not publication.released and publication.position:
        store.advance(publication.source, *publication.position)
        return 0
    intent = store.intend()
    items = tuple(_item_change(each, intent.datestamp) for each in changes)
    return store.publish(intent, replace(publication, changes=items))


def _item_change(change: _Change, datestamp: int) -> ItemChange:
    prepared, payloads, state = change
    held = {} if state is None else {prefix: (digest, is_deleted) for prefix, digest, is_deleted in state.records}
    records = tuple(
        Record(
            each.metadata_prefix,
            each.digest,
            each.is_deleted,
            record(prepared.identifier, datestamp, prepared.sets, each),
        )
        for each in prepared.fragments
        if held.get(each.metadata_prefix) != (each.digest, each.is_deleted)
    )
    return ItemChange(prepared.upstream, prepared.identifier, prepared.is_deleted, prepared.sets, payloads, records)


def given_of(page: RawPage, cut: Slice, exposed: str) -> Given:
    """Return a payload as the mapping wants it, its bytes cut from its page."""
    text = page.repaired or page.body
    abouts = tuple(text[start:stop] for start, stop in cut.abouts)
    return Given(
        page.metadata_prefix,
        exposed,
        text[cut.start : cut.stop],
        cut.declarations,
        cut.datestamp,
        cut.sets,
        cut.is_deleted,
        abouts,
        page.received_at,
        bool(page.repairs),
    )


def _held(state: ItemState | None) -> dict[str, Payload]:
    return {} if state is None else {payload.metadata_prefix: payload for payload in state.payloads}


def _is_revived(arrived: _Arrived, state: ItemState | None) -> bool:
    """Tell whether an item that was deleted here, with its source perhaps, is there again as it was."""
    return state is not None and state.is_deleted and not arrived.slice.is_deleted


def _digest(cut: Slice, text: bytes) -> bytes:
    """Return what says whether a record came again as it was: everything but where and when it came."""
    digest = blake2b(text[cut.start : cut.stop], digest_size=_DIGEST_BYTES)
    digest.update(repr((cut.datestamp, cut.sets, cut.is_deleted, cut.declarations)).encode("utf-8", "surrogatepass"))
    for start, stop in cut.abouts:
        digest.update(text[start:stop])
    return digest.digest()


# --- formats ------------------------------------------------------------------------------------------------------


class _Exposed:
    """Under which prefix each upstream format of a source is found here; a new one is added to the store."""

    def __init__(self, store: Store, facts: SourceFacts) -> None:
        self._store, self._facts = store, facts
        self._names: dict[str, str] = {"oai_dc": ""}  # carried in ours, needs no other name

    def name(self, page: RawPage, cut: Slice) -> str:
        """Return the exposed prefix of a page's payloads; empty when they are not passed through."""
        upstream = page.metadata_prefix
        if upstream not in self._names:
            wanted = f"{upstream}.{self._facts.name}" if upstream in written() else upstream
            schema, namespace = self._facts.formats.get(upstream) or _sniffed(page, cut)
            format_ = Format(wanted, schema or namespace, namespace, 1, self._facts.name, upstream)
            self._names[upstream] = self._store.add_format(format_).metadata_prefix
        return self._names[upstream]


def _sniffed(page: RawPage, cut: Slice) -> tuple[str, str]:
    """Return (schema, namespace) of a payload whose source does not announce them."""
    try:
        root = xmlio.parse(given_of(page, cut, "").content)
    except NotXml:
        return "", ""
    namespace = xmlio.name_of(root)[0]
    locations = (root.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation") or "").split()
    return dict(zip(locations[::2], locations[1::2], strict=False)).get(namespace, ""), namespace


def _prepare_store(store: Store, facts: SourceFacts) -> None:
    """Make the store know our formats, and what `rebuild` will want to know of the source."""
    with store.view() as view:
        known = {each.metadata_prefix for each in view.formats()}
    for prefix, each in written().items():
        if prefix not in known:
            store.add_format(Format(prefix, each.schema, each.namespace, each.version))
            store.remember(_mapping_fact(prefix), str(each.version))
    text = json.dumps(asdict(facts), sort_keys=True)
    if store.fact(_source_fact(facts.name)) != text:
        store.remember(_source_fact(facts.name), text)


def _mapping_fact(prefix: str) -> str:
    return f"mapping {prefix}"


def _source_fact(name: str) -> str:
    return f"source {name}"


def _facts_of(store: Store, name: str) -> SourceFacts | None:
    text = store.fact(_source_fact(name))
    if not text:
        return None
    values = json.loads(text)
    formats = {prefix: (schema, namespace) for prefix, (schema, namespace) in values["formats"].items()}
    return SourceFacts(
        values["name"], values["base_url"], values["domain"], formats, values["rights"], tuple(values["prefer"])
    )


# --- everything again ---------------------------------------------------------------------------------------------


def outdated(store: Store) -> tuple[str, ...]:
    """Return the prefixes of our formats whose mapping is newer than what is published of them."""
    facts = ((prefix, each.version, store.fact(_mapping_fact(prefix))) for prefix, each in written().items())
    return tuple(prefix for prefix, version, published in facts if published and published != str(version))


def rebuild(
    store: Store, inbox: Inbox, metadata_prefix: str | None = None, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Map every item again from the inbox; return how many records changed and got a new datestamp.

    `metadata_prefix` restricts it to one format. `progress` is told how many items were looked at.
    """
    stamped = seen = after = 0
    facts: dict[str, SourceFacts | None] = {}
    while rows := store.items(None, after, _BATCH):
        for source, states in _by_source(rows).items():
            if source not in facts:
                facts[source] = _facts_of(store, source)
            known = facts[source]
            if known is not None:
                stamped += _rebuild(store, inbox, known, states, metadata_prefix)
        after, seen = rows[-1][1].number, seen + len(rows)
        progress(seen)
    for prefix, each in written().items():
        if metadata_prefix in (None, prefix):
            store.remember(_mapping_fact(prefix), str(each.version))
    return stamped


def _by_source(rows: Iterable[tuple[str, ItemState]]) -> dict[str, list[ItemState]]:
    found: dict[str, list[ItemState]] = {}
    for source, state in rows:
        found.setdefault(source, []).append(state)
    return found


def _rebuild(store: Store, inbox: Inbox, facts: SourceFacts, states: Sequence[ItemState], wanted: str | None) -> int:
    batch = _Batch(store, inbox, facts, ())
    live = [state for state in states if not state.is_deleted and state.payloads]
    for _ in range(_TRIES):
        changes = []
        for state in live:
            prepared = prepare(batch.task(state.upstream, {}, state))
            if not prepared.problems:
                kept = tuple(each for each in prepared.fragments if wanted in (None, each.metadata_prefix))
                changes.append(_Change(prepared._replace(fragments=kept), (), state))
        changes = [each for each in changes if _differs(each)]
        try:
            return _write(store, Publication(facts.name), changes) if changes else 0
        except IntentExpired:
            continue
    raise StoreError("The items could not be published again: this machine stands still too often.")


def _differs(change: _Change) -> bool:
    assert change.state is not None
    held = {prefix: (digest, is_deleted) for prefix, digest, is_deleted in change.state.records}
    return any(held.get(each.metadata_prefix) != (each.digest, each.is_deleted) for each in change.prepared.fragments)


def remove_source(store: Store, name: str, progress: Callable[[int], None] = lambda _: None) -> int:
    """Make tombstones of all records of a source, and mark it as removed; return how many items were deleted."""
    removed = after = 0
    while rows := store.items(name, after, _BATCH):
        live = [state for _, state in rows if not state.is_deleted]
        if live:
            _write(store, Publication(name), [_buried(store, state) for state in live])
        after, removed = rows[-1][1].number, removed + len(live)
        progress(removed)
    with store.view() as view:
        known = next((each for each in view.sources() if each.name == name), None)
    if known is not None:
        store.add_source(Source(known.name, known.base_url, known.kind, is_removed=True))
    return removed


def _buried(store: Store, state: ItemState) -> _Change:
    sets = most_specific(set(store.item_sets(state.number)))
    fragments = tuple(tombstone(prefix, sets) for prefix, _, _ in state.records)
    return _Change(Prepared(state.upstream, state.identifier, True, sets, fragments), (), state)
