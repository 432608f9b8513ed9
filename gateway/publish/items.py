"""Shared by publication and rebuild: functions that read the payloads of an item from the inbox, and write its records.

They also store the facts about formats and sources that are needed to make the records again without a harvest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from typing import NamedTuple

from gateway.core import xmlio
from gateway.core.errors import NotXml, PageLost, StoreBusy, StoreError
from gateway.core.model import (
    Format,
    ItemChange,
    ItemState,
    Payload,
    Publication,
    RawPage,
    Record,
    Slice,
    Source,
    StoredPage,
)
from gateway.core.names import local_prefix
from gateway.core.takedowns import Takedowns
from gateway.formats import MetadataFormat, written
from gateway.publish.mapping import Fragment, Given, Prepared, SourceFacts, Task, record
from gateway.publish.namespaces import standing_alone
from gateway.store.base import Inbox, Store
from gateway.store.step import DOMAIN_FACT

_DIDL = "oai_didl"
TRIES = 5  # an intent expires only if this machine was blocked for a minute; five times in a row is another problem
_PAGES_KEPT = 4  # items that arrived together are on the same pages, and unpacking a page takes longer than mapping it
_SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


# --- from the inbox -----------------------------------------------------------------------------------------------


class Payloads:
    """Reads the payloads of one source's items: from `pages`, which are in memory, and from the inbox."""

    def __init__(self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage] = ()) -> None:
        self._store, self._inbox, self._facts = store, inbox, facts
        self._at_hand = {page.number: page for page in pages}
        self._page = lru_cache(maxsize=_PAGES_KEPT)(inbox.page)
        self._lost_until = inbox.lost_until()
        self._names: dict[str, str] = {"oai_dc": ""}  # ours contains it, so it needs no other name

    def task(
        self,
        upstream: str,
        arrived: Mapping[str, tuple[StoredPage, Slice]],
        state: ItemState | None,
        takedowns: Takedowns | None = None,
    ) -> Task:
        """Return the mapping task of an item: its arrived payloads, by upstream prefix, and its stored ones.

        Without `takedowns`, the list is looked at for each item. A publication that names the revision of its list need
        not do that: if the list has changed, it is not written.

        Raise PageLost when the inbox lacks the page of a stored payload that is needed, and TakedownsUnreadable.
        """
        takedowns = takedowns or self._store.takedowns()
        held = payloads_of(state)
        if arrived or (state and takedowns.names_item(state.identifier, self._facts.name, upstream)):
            held = {
                prefix: record for prefix, record in held.items() if not self.is_lost(record)
            }  # they are not needed
        for prefix in held:
            if prefix in arrived and prefix not in self._names and prefix not in self._facts.formats:
                self._held(held[prefix])  # a deletion has no namespace, but the payload before it has one
        given = [self._given(page, cut) for page, cut in arrived.values()]
        if held:
            given += [self._held(payload) for prefix, payload in held.items() if prefix not in arrived]
        given.sort()
        if state is None:
            return Task(self._facts, upstream, tuple(given), takedowns=takedowns)
        held_sets: tuple[str, ...] = ()
        if all(record.is_deleted for record in given) or self._may_be_hidden(takedowns, state, given):
            held_sets = self._store.item_sets(state.number)
        published = tuple(prefix for prefix, _, _ in state.records)
        return Task(self._facts, upstream, tuple(given), held_sets, state.files, published, takedowns)

    def is_lost(self, payload: Payload) -> bool:
        """Return whether the inbox lacks the page of a payload, because an earlier inbox was lost."""
        if payload.page > self._lost_until or payload.page in self._at_hand:
            return False
        try:
            self._cut(payload)
        except PageLost:
            return True
        return False

    def _cut(self, payload: Payload) -> tuple[StoredPage, Slice]:
        page = self._at_hand.get(payload.page) or self._page(payload.page)
        if payload.slice >= len(page.slices):  # the empty page that marks lost pages
            raise PageLost(payload.page)
        return page, page.slices[payload.slice]

    def _may_be_hidden(self, takedowns: Takedowns, state: ItemState, given: Iterable[Given]) -> bool:
        """Return, fast for most items, whether one may be taken down; then its former sets are needed."""
        if takedowns.is_empty:
            return False
        if state.is_withheld or takedowns.names_item(state.identifier, self._facts.name, state.upstream):
            return True
        contents = (content for record in given for content in (record.content, *record.abouts))
        return any(map(takedowns.may_concern, (state.upstream.encode("utf-8", "surrogatepass"), *contents)))

    def _given(self, page: StoredPage, cut: Slice) -> Given:
        return given_of(page.page, cut, self._exposed(page.page, cut))

    def _held(self, payload: Payload) -> Given:
        given = self._given(*self._cut(payload))
        return given._replace(is_deleted=payload.is_deleted)  # it is deleted too if its source was removed

    def _exposed(self, page: RawPage, cut: Slice) -> str:
        """Return the prefix under which a payload is served unchanged, or empty; a new one is added to the store."""
        upstream = page.metadata_prefix
        if upstream not in self._names:
            announced = self._facts.formats.get(upstream)
            known = None if announced else self._known(upstream)
            namespace_ = announced or known or _sniffed(page, cut)
            if namespace_ is None:
                return ""  # its namespace is unknown
            self._names[upstream] = namespace_ if isinstance(namespace_, str) else self._added(upstream, *namespace_)
        return self._names[upstream]

    def _known(self, upstream: str) -> str | None:
        with self._store.view() as view:
            ours = (format_ for format_ in view.formats() if format_.source == self._facts.name)
            return next((our.metadata_prefix for our in ours if our.upstream_prefix == upstream), None)

    def _added(self, upstream: str, schema: str, namespace: str) -> str:
        wanted = f"{upstream}.{self._facts.name}" if upstream in written() else local_prefix(upstream)
        format_ = Format(wanted, schema or namespace, namespace, 1, self._facts.name, upstream)
        added = self._store.add_format(format_).metadata_prefix
        keep_note(self._store, self._inbox, self._facts.name)
        return added


def payloads_of(state: ItemState | None) -> dict[str, Payload]:
    """Return the stored payloads of an item, by upstream prefix."""
    return {} if state is None else {payload.metadata_prefix: payload for payload in state.payloads}


def given_of(page: RawPage, cut: Slice, exposed: str) -> Given:
    """Return a payload for the mapping, with its bytes cut from its page; `exposed` is the prefix for serving it."""
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


def _sniffed(page: RawPage, cut: Slice) -> tuple[str, str] | None:
    """Return (schema, namespace) of a payload whose source does not announce them; None if it is not XML."""
    try:
        given = given_of(page, cut, "")
        root = xmlio.parse(standing_alone(given.content, given.declarations))
    except NotXml:
        return None
    namespace = xmlio.name_of(root)[0]
    locations = (root.get(_SCHEMA_LOCATION) or "").split()
    return dict(zip(locations[::2], locations[1::2], strict=False)).get(namespace, ""), namespace


# --- into the store -----------------------------------------------------------------------------------------------


class Change(NamedTuple):
    """One item to write: its new records and payloads, and its state in the store (None: it is new)."""

    prepared: Prepared
    payloads: tuple[Payload, ...]
    state: ItemState | None

    def differs(self) -> bool:
        """Return whether a record, or `is_withheld`, differs from the state in the store."""
        if self.state is not None and self.state.is_withheld is not self.prepared.is_withheld:
            return True
        return bool(self.news())

    def news(self) -> tuple[Fragment, ...]:
        """Return the records that differ from the state in the store."""
        held = records_of(self.state)
        return tuple(
            fragment
            for fragment in self.prepared.fragments
            if held.get(fragment.metadata_prefix) != (fragment.digest, fragment.is_deleted)
        )


def records_of(state: ItemState | None) -> dict[str, tuple[bytes, bool]]:
    """Return (digest, is_deleted) of the stored records of an item, by prefix."""
    return {} if state is None else {prefix: (digest, is_deleted) for prefix, digest, is_deleted in state.records}


def write(
    store: Store, publication: Publication, changes: Sequence[Change], ready: Callable[[], None] = lambda: None
) -> int:
    """Write a publication, and return how many records got its datestamp. Without changes, only the position moves.

    `ready` is called before anything is written. Raise the errors of `Store.advance`, `Store.intend`,
    `Store.publish` and `ready`.
    """
    noted = publication.quarantined or publication.released or publication.deletions or publication.settled
    if not (changes or noted or publication.files):
        ready()
        if publication.position and publication.position[0] != publication.position[1]:
            store.advance(publication.source, *publication.position)
        return 0
    intent = store.intend()
    try:
        items = tuple([_item_change(change, intent.datestamp) for change in changes])
        return store.publish(intent, replace(publication, changes=items), ready)
    except StoreBusy:
        raise  # another process had the lock for so long that the intent has expired
    except (Exception, KeyboardInterrupt):
        with suppress(StoreError):  # then the intent expires
            store.abandon(intent)
        raise


def _item_change(change: Change, datestamp: int) -> ItemChange:
    prepared, payloads, _ = change
    identifier, sets = prepared.identifier, prepared.sets
    news = change.news()
    has_didl = any(fragment.metadata_prefix == _DIDL for fragment in news)
    records = [
        Record(
            fragment.metadata_prefix,
            fragment.digest,
            fragment.is_deleted,
            record(identifier, datestamp, sets, fragment),
            fragment.length,
            fragment.sha256,
        )
        for fragment in news
    ]
    return ItemChange(
        prepared.upstream,
        identifier,
        prepared.is_deleted,
        sets,
        payloads,
        tuple(records),
        prepared.is_withheld,
        prepared.contents if has_didl else None,
    )


# --- facts in the store -------------------------------------------------------------------------------------------


def introduce(store: Store, facts: SourceFacts) -> None:
    """Store our formats, the facts about the source, and the domain, unless something is published already."""
    if introduce_formats(store):
        _remember(store, DOMAIN_FACT, facts.domain)
    _remember(store, _source_fact(facts.name), json.dumps(asdict(facts), sort_keys=True))


def introduce_formats(store: Store) -> bool:
    """Add those of our formats that the store lacks, and return whether nothing is published yet.

    If something is published, no record has a new format yet, so the format is outdated until a rebuild.
    """
    with store.view() as view:
        known = {format_.metadata_prefix for format_ in view.formats()}
        is_empty = not view.changes(0, 1)
    for prefix, written_format in written().items():
        if prefix not in known:
            add_format(store, written_format)
            store.remember(mapping_fact(prefix), str(written_format.version) if is_empty else "none yet")
    return is_empty


def add_format(store: Store, ours: MetadataFormat) -> None:
    """Add one of our formats to the store, or update its version."""
    store.add_format(Format(ours.metadata_prefix, ours.schema, ours.namespace, ours.version))


def mapping_fact(prefix: str) -> str:
    """Return the name of the fact with the version of our mapping that made all records of a prefix."""
    return f"mapping {prefix}"


def facts_held(store: Store, name: str) -> SourceFacts | None:
    """Return the facts about a source from its last publication, or None if it was never published."""
    return facts_from(store.fact(_source_fact(name)))


def facts_from(text: str) -> SourceFacts | None:
    """Return the facts in the JSON of a store or an inbox; None for an empty text."""
    if not text:
        return None
    known = json.loads(text)
    pairs: Iterable[tuple[str, tuple[str, str]]] = known.pop("formats").items()
    prefer = tuple(known.pop("prefer"))
    return SourceFacts(formats={prefix: (schema, name) for prefix, (schema, name) in pairs}, prefer=prefer, **known)


def keep_note(store: Store, inbox: Inbox, name: str) -> None:
    """Write the store's facts about a source into the inbox, so that the store can be made again from it."""
    with store.view() as view:
        source = next((source for source in view.sources() if source.name == name), Source(name, ""))
    before = inbox.note(name)
    # An older copy of the store may lack some formats: their names are kept.
    formats = {entry["upstream_prefix"]: entry for entry in json.loads(before or '{"formats": []}')["formats"]}
    formats |= {format_.upstream_prefix: asdict(format_) for format_ in store.formats_of(name)}
    known = {"source": asdict(source), "facts": store.fact(_source_fact(name)), "formats": list(formats.values())}
    note = json.dumps(known, sort_keys=True)
    if before != note:
        inbox.keep_note(name, note)


def _source_fact(name: str) -> str:
    return f"source {name}"


def _remember(store: Store, name: str, value: str) -> None:
    if store.fact(name) != value:
        store.remember(name, value)
