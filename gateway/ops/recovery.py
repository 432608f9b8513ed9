"""Makes the store again from the inbox, after it was lost, or if it is an older copy than the inbox.

The inbox has every page and every removal of a source, in the order of arrival. It also has a note per source: its
facts in the store, and the prefixes of its formats. So the pages are published again one by one, as the first time.
Nothing is written twice: the work can be stopped at any moment and continues from there.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from gateway.core.errors import ConfigurationError, StoreError
from gateway.core.model import Format, Source
from gateway.formats import written
from gateway.publish.mapping import SourceFacts
from gateway.publish.publish import Counts, publish_pending
from gateway.publish.source_facts import add_format, facts_from, keep_note
from gateway.publish.step import EPOCH_FACT, UNFINISHED_FACT, last_lost
from gateway.store.base import Inbox, Store

# It is called with the number of published pages, and with that of all pages.
Progress: TypeAlias = Callable[[int, int], None]


class _Known(NamedTuple):
    """The facts in the inbox about a source."""

    source: Source
    facts: SourceFacts
    formats: tuple[Format, ...] = ()
    is_guessed: bool = False


class Made(NamedTuple):
    """The result. `guessed` are the sources that the inbox has no note on; `lost_until` is that of `Inbox`."""

    counts: Counts
    guessed: tuple[str, ...]
    lost_until: int


def remember_sources(store: Store, inbox: Inbox) -> None:
    """Write the facts about sources into the inbox that earlier releases wrote only into the store.

    Raise StoreError.
    """
    with store.view() as view:
        sources = view.sources()
    noted = {name for name, _ in inbox.notes()}
    for source in sources:
        if source.name in noted:
            continue
        with store.view() as view:
            inbox.keep_sets(source.name, view.sets_of(source.name))
        if source.is_removed and inbox.removal(source.name, 0) is None:
            position = store.position(source.name)
            store.advance(source.name, position, inbox.remove_source(source.name, position, 0))
        keep_note(store, inbox, source.name)


def make_again(store: Store, inbox: Inbox, domain: str, progress: Progress = lambda *_: None) -> Made:
    """Publish everything that is in the inbox and not in the store; return the result.

    An empty store is marked as unfinished until the end. `domain` is the one in all identifiers. Raise
    ConfigurationError if the inbox was published under another domain. Raise StoreError if the store has published
    pages that the inbox lacks, and the errors of publication.
    """
    if last_lost(store, inbox):
        raise StoreError(
            "The store cannot be made from the inbox, because the inbox lacks pages that the store has published. "
            "Restore the inbox with `gateway restore`, or keep the store unchanged."
        )
    # Those with a note first, in their order, which decides the format prefixes.
    names = dict.fromkeys((*(name for name, _ in inbox.notes()), *inbox.sources()))
    known = {name: _known(inbox, name, domain) for name in names}
    _check_domain(known.values(), domain)
    _prepare(store, inbox, known.values())
    counts = Counts()
    total = sum(inbox.pages_behind(name, store.position(name)) for name in known)
    # Nobody is served from an unfinished store. What a failure of power undoes, the next command publishes again.
    with store.unsynced() if store.fact(UNFINISHED_FACT) else nullcontext():
        for facts in known.values():
            _publish(store, inbox, facts.facts, counts, lambda: progress(min(counts.pages, total), total))
    store.remember(UNFINISHED_FACT, "")
    guessed = tuple(name for name, facts in known.items() if facts.is_guessed)
    return Made(counts, guessed, inbox.lost_until())


def words(made: Made) -> Iterator[str]:
    """Yield the messages about the result, and about facts that are missing."""
    counts = made.counts
    yield (
        f"The store is complete: {counts.pages} pages were published, {counts.stamped} records got a new datestamp. "
        "Harvesters that continue from their last responseDate get all of these records again."
    )
    yield "Earlier resumptionTokens are not valid. Run `harvester publish` to publish the accepted files."
    if made.guessed:
        yield (
            f"The inbox has no note on {', '.join(made.guessed)}, so rights, preferred formats and names of fields "
            "are unknown. Remove the sources again that were removed before (`harvester source remove`); publish or "
            "harvest the others, then run `gateway rebuild`."
        )
    if made.lost_until:
        yield (
            f"The inbox was lost once, so pages up to {made.lost_until} are missing, with records that were only on "
            "them. Ask your harvesters to harvest everything again."
        )


def _known(inbox: Inbox, name: str, domain: str) -> _Known:
    note = json.loads(inbox.note(name) or "{}")
    source = Source(**note["source"]) if note else Source(name, "")
    formats = tuple(Format(**format_) for format_ in note.get("formats", ()))
    facts = facts_from(note.get("facts", ""))
    if facts is None:  # the source was never published, or by a release that kept no notes
        address = source.base_url or _address(inbox, name)
        source, facts = replace(source, base_url=address), SourceFacts(name, address, domain)
        return _Known(source, facts, formats, is_guessed=bool(inbox.pages_behind(name, 0)))
    return _Known(source, facts, formats)


def _address(inbox: Inbox, name: str) -> str:
    answer = inbox.last_answer(name, "Identify") or next((page.page for page in inbox.pages(name, 0)), None)
    return answer.url.partition("?")[0] if answer else ""


def _check_domain(known: Iterable[_Known], domain: str) -> None:
    others = sorted({source.facts.domain for source in known} - {domain})
    if others:
        raise ConfigurationError(
            f"The identifiers were published under the domain {others[0]}, and repository_domain is {domain}. "
            f"Set repository_domain to {others[0]} in config.toml."
        )


def _prepare(store: Store, inbox: Inbox, known: Iterable[_Known]) -> None:
    """Write the facts into the store that it had before anything was published. The sources come last: they end it."""
    with store.view() as view:
        is_empty = not view.changes(0, 1)
    if (is_empty or store.changes_lost()) and not store.fact(UNFINISHED_FACT):
        store.remember(UNFINISHED_FACT, "yes")
        store.remember(EPOCH_FACT, secrets.token_hex(8))  # from here, the store has lost nothing
    for ours in written().values():
        if not ours.is_optional:
            add_format(store, ours)
    for known_source in known:
        for format_ in known_source.formats:
            store.add_format(format_)
        store.add_sets(inbox.kept_sets(known_source.source.name))
    with store.view() as view:
        there = {source.name for source in view.sources()}
    for known_source in known:
        if known_source.source.name not in there:
            store.add_source(known_source.source)


def _publish(store: Store, inbox: Inbox, facts: SourceFacts, counts: Counts, report: Callable[[], None]) -> None:
    """Publish the pages of a source one by one, so that a record that a later page deletes becomes a tombstone."""
    while (done := publish_pending(store, inbox, facts.name, facts, limit_pages=1)).pages:
        counts.add(done)
        report()
