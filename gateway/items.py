"""What publishing and making again share: an item's payloads, cut from the inbox, and its records, put into the store.

Also what the store is told of formats and sources, so that its records can be made again without a harvest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from typing import NamedTuple

from gateway import xmlio
from gateway.errors import NotXml, PageLost, StoreBusy, StoreError
from gateway.formats import MetadataFormat, written
from gateway.mapping import Given, Prepared, SourceFacts, Task, record
from gateway.model import (
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
from gateway.names import local_prefix
from gateway.namespaces import standing_alone
from gateway.store.base import Inbox, Store
from gateway.takedowns import Takedowns

DOMAIN_FACT = "repository_domain"
TRIES = 5  # an intent expires only when this machine stood still for a minute; five times is another trouble
_PAGES_KEPT = 4  # items that arrived together lie on the same pages, and unpacking a page costs more than mapping it
_SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


# --- from the inbox -----------------------------------------------------------------------------------------------


class Payloads:
    """The payloads of one source's items: those of some pages at hand, and those that are held."""

    def __init__(self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage] = ()) -> None:
        self._store, self._inbox, self._facts = store, inbox, facts
        self._at_hand = {page.number: page for page in pages}
        self._page = lru_cache(maxsize=_PAGES_KEPT)(inbox.page)
        self._lost_until = inbox.lost_until()
        self._names: dict[str, str] = {"oai_dc": ""}  # it is carried in ours and needs no other name

    def task(self, upstream: str, arrived: Mapping[str, tuple[StoredPage, Slice]], state: ItemState | None) -> Task:
        """Return the task of mapping an item: what arrived of it, by upstream prefix, and what else is held of it."""
        takedowns = self._store.takedowns()
        held = payloads_of(state)
        if arrived or (state and takedowns.names_item(state.identifier, self._facts.name, upstream)):
            held = {prefix: each for prefix, each in held.items() if not self.is_lost(each)}  # they are not needed
        for prefix in held:
            if prefix in arrived and prefix not in self._names and prefix not in self._facts.formats:
                self._held(held[prefix])  # what is deleted shows no namespace, what it was before does
        given = [self._given(page, cut) for page, cut in arrived.values()]
        if held:
            given += [self._held(payload) for prefix, payload in held.items() if prefix not in arrived]
        given.sort()
        if state is None:
            return Task(self._facts, upstream, tuple(given), takedowns=takedowns)
        held_sets: tuple[str, ...] = ()
        if all(each.is_deleted for each in given) or self._may_be_hidden(takedowns, state, given):
            held_sets = self._store.item_sets(state.number)
        published = tuple(prefix for prefix, _, _ in state.records)
        return Task(self._facts, upstream, tuple(given), held_sets, state.files, published, takedowns)

    def is_lost(self, payload: Payload) -> bool:
        """Tell whether the inbox lacks the page of a payload, because it was lost once."""
        if payload.page > self._lost_until or payload.page in self._at_hand:
            return False
        try:
            self._cut(payload)
        except PageLost:
            return True
        return False

    def _cut(self, payload: Payload) -> tuple[StoredPage, Slice]:
        page = self._at_hand.get(payload.page) or self._page(payload.page)
        if payload.slice >= len(page.slices):  # the page that stands for those that are lost
            raise PageLost(payload.page)
        return page, page.slices[payload.slice]

    def _may_be_hidden(self, takedowns: Takedowns, state: ItemState, given: Iterable[Given]) -> bool:
        """Tell, quickly for most, whether an item may be taken down; then the sets that it was in are wanted."""
        if takedowns.is_empty:
            return False
        if state.is_withheld or takedowns.names_item(state.identifier, self._facts.name, state.upstream):
            return True
        contents = (content for each in given for content in (each.content, *each.abouts))
        return any(map(takedowns.may_concern, (state.upstream.encode("utf-8", "surrogatepass"), *contents)))

    def _given(self, page: StoredPage, cut: Slice) -> Given:
        return given_of(page.page, cut, self._exposed(page.page, cut))

    def _held(self, payload: Payload) -> Given:
        given = self._given(*self._cut(payload))
        return given._replace(is_deleted=payload.is_deleted)  # a source that was removed has deleted what it had sent

    def _exposed(self, page: RawPage, cut: Slice) -> str:
        """Return under which prefix a payload is passed through; empty: under none. A new one is added to the store."""
        upstream = page.metadata_prefix
        if upstream not in self._names:
            announced = self._facts.formats.get(upstream)
            known = None if announced else self._known(upstream)
            told = announced or known or _sniffed(page, cut)
            if told is None:
                return ""  # nobody knows it, and nothing can be seen of it
            self._names[upstream] = told if isinstance(told, str) else self._added(upstream, *told)
        return self._names[upstream]

    def _known(self, upstream: str) -> str | None:
        with self._store.view() as view:
            ours = (each for each in view.formats() if each.source == self._facts.name)
            return next((each.metadata_prefix for each in ours if each.upstream_prefix == upstream), None)

    def _added(self, upstream: str, schema: str, namespace: str) -> str:
        wanted = f"{upstream}.{self._facts.name}" if upstream in written() else local_prefix(upstream)
        format_ = Format(wanted, schema or namespace, namespace, 1, self._facts.name, upstream)
        added = self._store.add_format(format_).metadata_prefix
        keep_note(self._store, self._inbox, self._facts.name)
        return added


def payloads_of(state: ItemState | None) -> dict[str, Payload]:
    """Return what is held of an item, by upstream prefix."""
    return {} if state is None else {payload.metadata_prefix: payload for payload in state.payloads}


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


def _sniffed(page: RawPage, cut: Slice) -> tuple[str, str] | None:
    """Return (schema, namespace) of a payload whose source does not announce them; None when it is none."""
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
    """One item that is to be written, and what the store holds of it."""

    prepared: Prepared
    payloads: tuple[Payload, ...]
    state: ItemState | None

    def differs(self) -> bool:
        """Tell whether any record, or whether something is withheld, is otherwise than it is held."""
        if self.state is not None and self.state.is_withheld is not self.prepared.is_withheld:
            return True
        held = records_of(self.state)
        return any(held.get(each.metadata_prefix) != (each.digest, each.is_deleted) for each in self.prepared.fragments)


def records_of(state: ItemState | None) -> dict[str, tuple[bytes, bool]]:
    """Return (digest, is_deleted) of the records that are held of an item, by prefix."""
    return {} if state is None else {prefix: (digest, is_deleted) for prefix, digest, is_deleted in state.records}


def write(
    store: Store, publication: Publication, changes: Sequence[Change], ready: Callable[[], None] = lambda: None
) -> int:
    """Write a publication, and return how many records got its datestamp. Without any change only the position moves.

    Raise what `Store.publish` raises, and what `ready` does, which is called before anything is written.
    """
    noted = publication.quarantined or publication.released or publication.deletions or publication.settled
    if not (changes or noted or publication.files):
        ready()
        if publication.position and publication.position[0] != publication.position[1]:
            store.advance(publication.source, *publication.position)
        return 0
    intent = store.intend()
    try:
        items = tuple([_item_change(each, intent.datestamp) for each in changes])
        return store.publish(intent, replace(publication, changes=items), ready)
    except StoreBusy:
        raise  # the process that has the lock for so long has outlived the intent
    except (Exception, KeyboardInterrupt):
        with suppress(StoreError):  # then it expires
            store.abandon(intent)
        raise


def _item_change(change: Change, datestamp: int) -> ItemChange:
    prepared, payloads, state = change
    held = records_of(state)
    identifier, sets = prepared.identifier, prepared.sets
    records = [
        Record(each.metadata_prefix, each.digest, each.is_deleted, record(identifier, datestamp, sets, each))
        for each in prepared.fragments
        if held.get(each.metadata_prefix) != (each.digest, each.is_deleted)
    ]
    return ItemChange(
        prepared.upstream, identifier, prepared.is_deleted, sets, payloads, tuple(records), prepared.is_withheld
    )


# --- what the store is told ---------------------------------------------------------------------------------------


def introduce(store: Store, facts: SourceFacts) -> None:
    """Make the store know our formats, the source, and the domain while nothing is published under another."""
    if introduce_formats(store):
        _remember(store, DOMAIN_FACT, facts.domain)
    _remember(store, _source_fact(facts.name), json.dumps(asdict(facts), sort_keys=True))


def introduce_formats(store: Store) -> bool:
    """Make the store know those of our formats that are new, and tell whether nothing is published yet.

    Where something is, no record is in them yet, and they are outdated until all is made again.
    """
    with store.view() as view:
        known = {each.metadata_prefix for each in view.formats()}
        is_empty = not view.changes(0, 1)
    for prefix, each in written().items():
        if prefix not in known:
            add_format(store, each)
            store.remember(mapping_fact(prefix), str(each.version) if is_empty else "none yet")
    return is_empty


def add_format(store: Store, ours: MetadataFormat) -> None:
    """Add a format of ours, or tell the store that its version has grown."""
    store.add_format(Format(ours.metadata_prefix, ours.schema, ours.namespace, ours.version))


def mapping_fact(prefix: str) -> str:
    """Return the name of the fact which version of our mapping all records of a prefix are made by."""
    return f"mapping {prefix}"


def facts_held(store: Store, name: str) -> SourceFacts | None:
    """Return what was known of a source when it was last published, or None when it never was."""
    return facts_from(store.fact(_source_fact(name)))


def facts_from(text: str) -> SourceFacts | None:
    """Return the facts that a store or an inbox holds as JSON; None for an empty text."""
    if not text:
        return None
    known = json.loads(text)
    pairs: Iterable[tuple[str, tuple[str, str]]] = known.pop("formats").items()
    prefer = tuple(known.pop("prefer"))
    return SourceFacts(formats={prefix: (schema, name) for prefix, (schema, name) in pairs}, prefer=prefer, **known)


def keep_note(store: Store, inbox: Inbox, name: str) -> None:
    """Keep in the inbox what the store knows of a source, so that the store can be made again from the inbox."""
    with store.view() as view:
        source = next((each for each in view.sources() if each.name == name), Source(name, ""))
    before = inbox.note(name)
    # An older copy of the store may have forgotten some formats: they keep their names.
    formats = {each["upstream_prefix"]: each for each in json.loads(before or '{"formats": []}')["formats"]}
    formats |= {each.upstream_prefix: asdict(each) for each in store.formats_of(name)}
    known = {"source": asdict(source), "facts": store.fact(_source_fact(name)), "formats": list(formats.values())}
    note = json.dumps(known, sort_keys=True)
    if before != note:
        inbox.keep_note(name, note)


def _source_fact(name: str) -> str:
    return f"source {name}"


def _remember(store: Store, name: str, value: str) -> None:
    if store.fact(name) != value:
        store.remember(name, value)
