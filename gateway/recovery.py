"""The store made again from the inbox: after it was lost, or when it is an older copy than the inbox.

The inbox keeps every page, in the order in which they came, the removals of sources among them, and a note per source:
what the store was told of it, and under which prefixes its formats are exposed. So the pages are published again one by
one, as they were the first time. Nothing is written twice: it may be stopped at any moment and goes on from there.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from gateway.errors import ConfigurationError, StoreError
from gateway.formats import written
from gateway.items import add_format, facts_from, keep_note
from gateway.mapping import SourceFacts
from gateway.model import Format, SetDescription, Source
from gateway.names import SOURCES
from gateway.publish import Counts, publish_pending
from gateway.store.base import Inbox, Store
from gateway.store.step import EPOCH_FACT, UNFINISHED_FACT, last_lost

_SETS_AT_ONCE = 1000

# Called with the number of pages that are published, and with that of all.
Progress: TypeAlias = Callable[[int, int], None]


class _Known(NamedTuple):
    """What the inbox knows of a source."""

    source: Source
    facts: SourceFacts
    formats: tuple[Format, ...] = ()
    is_guessed: bool = False


class Made(NamedTuple):
    """What was made again. `guessed` are the sources of which the inbox has no note; `lost_until`: see `Inbox`."""

    counts: Counts
    guessed: tuple[str, ...]
    lost_until: int


def remember_sources(store: Store, inbox: Inbox) -> None:
    """Keep in the inbox what it does not know yet of the sources: earlier releases kept it in the store alone."""
    with store.view() as view:
        sources = view.sources()
    noted = {name for name, _ in inbox.notes()}
    for source in sources:
        if source.name in noted:
            continue
        inbox.keep_sets(source.name, tuple(_sets_of(store, source.name)))
        if source.is_removed and inbox.removal(source.name, 0) is None:
            position = store.position(source.name)
            store.advance(source.name, position, inbox.remove_source(source.name, position, 0))
        keep_note(store, inbox, source.name)


def _sets_of(store: Store, name: str) -> Iterator[SetDescription]:
    top = f"{SOURCES}:{name}"
    with store.view() as view:
        after = f"{SOURCES}:"
        while found := view.sets(after, _SETS_AT_ONCE):
            yield from (each for each in found if f"{each.spec}:".startswith(f"{top}:"))
            after = found[-1].spec


def make_again(store: Store, inbox: Inbox, domain: str, progress: Progress = lambda *_: None) -> Made:
    """Publish everything that the inbox has and the store does not; return what was made again.

    A store that holds nothing yet is marked as unfinished until the end. `domain` is the repository's, in every
    identifier. Raise ConfigurationError when the inbox was published under another domain, StoreError when the store
    has published what the inbox lacks, and what publishing raises.
    """
    if last_lost(store, inbox):
        raise StoreError(
            "The inbox lacks pages that the store has published, so the store cannot be made from it. "
            "Restore the inbox with `gateway restore`, or keep the store as it is."
        )
    known = {name: _known(inbox, name, domain) for name in _names(inbox)}
    _check_domain(known.values(), domain)
    _prepare(store, inbox, known.values())
    counts = Counts()
    total = sum(inbox.pages_behind(name, store.position(name)) for name in known)
    for each in known.values():
        _publish(store, inbox, each.facts, counts, lambda: progress(min(counts.pages, total), total))
    store.remember(UNFINISHED_FACT, "")
    guessed = tuple(name for name, each in known.items() if each.is_guessed)
    return Made(counts, guessed, inbox.lost_until())


def words(made: Made) -> Iterator[str]:
    """Yield in sentences what was made again, and what nobody can know."""
    counts = made.counts
    yield (
        f"The store is whole: {counts.pages} pages were published, {counts.stamped} records got a new datestamp. "
        "Harvesters that go on from their last responseDate receive all of these records again."
    )
    yield "`harvester publish` publishes what was decided of files; resumptionTokens given out before are not valid."
    if made.guessed:
        yield (
            f"The inbox has no note on {', '.join(made.guessed)}: rights, preferred formats and names of fields are "
            "not known. `harvester source remove` removes again those that an earlier release had removed. Publish or "
            "harvest the others, then `gateway rebuild` writes their records again."
        )
    if made.lost_until:
        yield (
            f"The inbox itself was lost once: pages up to {made.lost_until} are missing, and records that came with "
            "them alone are not in the store. Harvesters should harvest everything again."
        )


def _names(inbox: Inbox) -> Iterable[str]:
    """Return the names of all sources: those with a note first, in their order, which decides on names of formats."""
    return dict.fromkeys((*(name for name, _ in inbox.notes()), *inbox.sources()))


def _known(inbox: Inbox, name: str, domain: str) -> _Known:
    note = json.loads(inbox.note(name) or "{}")
    source = Source(**note["source"]) if note else Source(name, "")
    formats = tuple(Format(**each) for each in note.get("formats", ()))
    facts = facts_from(note.get("facts", ""))
    if facts is None:  # the source was never published, or by a release that kept no notes
        address = source.base_url or _address(inbox, name)
        source, facts = replace(source, base_url=address), SourceFacts(name, address, domain)
        return _Known(source, facts, formats, is_guessed=bool(inbox.pages_behind(name, 0)))
    return _Known(source, facts, formats)


def _address(inbox: Inbox, name: str) -> str:
    answer = inbox.last_answer(name, "Identify") or next((each.page for each in inbox.pages(name, 0)), None)
    return answer.url.partition("?")[0] if answer else ""


def _check_domain(known: Iterable[_Known], domain: str) -> None:
    others = sorted({each.facts.domain for each in known} - {domain})
    if others:
        raise ConfigurationError(
            f"The identifiers were published under the domain {others[0]}, and repository_domain is {domain}. "
            f"Set repository_domain to {others[0]} in config.toml."
        )


def _prepare(store: Store, inbox: Inbox, known: Iterable[_Known]) -> None:
    """Tell the store what it was told before anything was published. The sources come last: they end it."""
    with store.view() as view:
        is_empty = not view.changes(0, 1)
    if is_empty and not store.fact(UNFINISHED_FACT):
        store.remember(EPOCH_FACT, secrets.token_hex(8))
        store.remember(UNFINISHED_FACT, "yes")
    for ours in written().values():
        add_format(store, ours)
    for each in known:
        for format_ in each.formats:
            store.add_format(format_)
        store.add_sets(inbox.kept_sets(each.source.name))
    with store.view() as view:
        there = {each.name for each in view.sources()}
    for each in known:
        if each.source.name not in there:
            store.add_source(each.source)


def _publish(store: Store, inbox: Inbox, facts: SourceFacts, counts: Counts, told: Callable[[], None]) -> None:
    """Publish the pages of a source one by one: what was live on one and is deleted on the next becomes a tombstone."""
    while (done := publish_pending(store, inbox, facts.name, facts, limit_pages=1)).pages:
        counts.add(done)
        told()
