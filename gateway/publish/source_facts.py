"""The facts about formats and sources in the store, which are needed to make records again without a harvest."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from gateway.core.model import Format, ItemFiles, Publication, Source
from gateway.formats import MetadataFormat, written
from gateway.publish.items import write
from gateway.publish.mapping import Made, SourceFacts
from gateway.publish.step import DOMAIN_FACT
from gateway.store.base import Inbox, Store

LEAVING: Final = "to be withdrawn"  # as the version of a mapping: the next rebuild makes tombstones
WITHDRAWN: Final = "withdrawn"
_NOT_MADE = ("", LEAVING, WITHDRAWN)


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
        if prefix not in known and not written_format.is_optional:
            add_format(store, written_format)
            store.remember(mapping_fact(prefix), str(written_format.version) if is_empty else "none yet")
    return is_empty


def made(store: Store) -> Made:
    """Return which of our formats a store has for every item, and which optional ones it had."""
    facts = {prefix: store.fact(mapping_fact(prefix)) for prefix, known in written().items() if known.is_optional}
    return Made(
        tuple(prefix for prefix in written() if facts.get(prefix) not in _NOT_MADE),
        tuple(prefix for prefix, fact in facts.items() if fact in (LEAVING, WITHDRAWN)),
    )


def adopt(store: Store, inbox: Inbox, wanted: Iterable[str]) -> None:
    """Make these optional formats from now on, and no others; a rebuild then makes or withdraws their records.

    Publications that have begun are repeated, so that none writes an item without them. Raise StoreError if a prefix is
    that of a source's format with another namespace.
    """
    before, wanted = made(store), frozenset(wanted)
    with store.view() as view:
        is_empty, sources = not view.changes(0, 1), view.sources()
    for prefix, known in written().items():
        if prefix in wanted and prefix not in before.prefixes:
            add_format(store, known)
            store.remember(mapping_fact(prefix), str(known.version) if is_empty else "none yet")
        elif known.is_optional and prefix in before.prefixes and prefix not in wanted:
            store.remember(mapping_fact(prefix), LEAVING)
    if made(store) != before:
        for source in sources:
            write(store, Publication(source.name, files=(ItemFiles("", ()),)), ())  # of no item: a new edition
            keep_note(store, inbox, source.name)


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
        source = view.source(name) or Source(name, "")
    before = inbox.note(name)
    # An older copy of the store may lack some formats: their names are kept.
    formats = {entry["upstream_prefix"]: entry for entry in json.loads(before or '{"formats": []}')["formats"]}
    formats |= {format_.upstream_prefix: asdict(format_) for format_ in store.formats_of(name)}
    known = {"source": asdict(source), "facts": store.fact(_source_fact(name)), "formats": list(formats.values())}
    present = made(store)
    known["made"] = sorted({*optional(present), *present.withdrawn, *_noted(before)})
    note = json.dumps(known, sort_keys=True)
    if before != note:
        inbox.keep_note(name, note)


def noted(inbox: Inbox) -> frozenset[str]:
    """Return the optional formats that the notes in an inbox say were ever made."""
    return frozenset(prefix for _, note in inbox.notes() for prefix in _noted(note))


def _noted(note: str) -> list[str]:
    return [prefix for prefix in json.loads(note or "{}").get("made", ()) if prefix in written()]


def optional(present: Made) -> frozenset[str]:
    """Return the optional formats among those that are made."""
    return frozenset(prefix for prefix in present.prefixes if written()[prefix].is_optional)


def _source_fact(name: str) -> str:
    return f"source {name}"


def _remember(store: Store, name: str, value: str) -> None:
    if store.fact(name) != value:
        store.remember(name, value)
