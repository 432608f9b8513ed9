"""Publishes the decisions on files: each item that may have changed, once.

The files to publish are the accepted ones, and those that the record of the item names. A published file stays
unchanged while its bytes are the same.

An item is marked as published after the commit. If the process is killed in between, the item is published again, which
changes nothing. One process or thread at a time publishes decisions, a batch at a time. Otherwise one could read them,
and write what it has read after another one has published newer decisions and found nothing to change.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from time import sleep
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.errors import StoreUnwritable
from gateway.core.model import Candidate, Decision, FileLink, FileOrigin, ItemState, Outcome, Unpublished
from gateway.core.settings import Settings
from gateway.core.waiting import locked
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import UNSEEN
from gateway.fulltext.licenses import is_open, license_of, license_uri
from gateway.fulltext.search_result import NAMED
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of, retracted_of
from gateway.publish.publish_files import file_all
from gateway.publish.step import EPOCH_FACT
from gateway.store.base import Discovery, Inbox, Store

_TERMS_FACT = "terms of files"
BATCH = 100  # items of one transaction, and of one publication
_LOCK = ".releasing"  # in `locks/`; no source can have this name
PATIENCE_SECONDS = 3600.0  # as for a database: a person may have stopped the other process
_TURN_SECONDS = 0.005  # between two batches, so that those who wait have their turn


class Terms(NamedTuple):
    """How files that a search found are published.

    `is_named`: oai_dc has their addresses. `copies_at` is the address below which our copies are served, or empty.
    Files of at most `most_bytes` are embedded in the DIDL. `copies` are the stored copies.
    """

    is_named: bool = False
    copies_at: str = ""
    most_bytes: int = 0
    copies: Copies | None = None


def terms_of(settings: Settings) -> Terms:
    """Return the terms in force. Copies have an address only if the setting `base_url` is set."""
    base = settings.text("base_url").removesuffix("/oai") if settings.is_on("files_serve") else ""
    most_bytes = settings.number("didl_by_value_max_bytes")
    copies_at = f"{base}/files" if base else ""
    return Terms(settings.is_on("oai_dc_names_files"), copies_at, most_bytes, Copies(settings.instance))


def _offered(link: FileLink, terms: Terms) -> FileLink:
    """Return a file according to the terms. A file without an open licence is neither served nor embedded."""
    copies = terms.copies if is_open(license_of(link.license)) else None
    has_copy = bool(copies and terms.copies_at and copies.has(link.sha256))
    is_carried = copies is not None and link.size is not None and link.size <= terms.most_bytes
    return link._replace(
        is_named=terms.is_named and not link.is_supplement,  # many readers take each address in oai_dc for the work
        copy_url=f"{terms.copies_at}/{link.sha256}" if has_copy else "",
        content=copies.read(link.sha256) if copies and is_carried else b"",
    )


def files_of(
    candidates: Iterable[Candidate],
    decisions: Iterable[Decision],
    held: Iterable[FileLink],
    terms: Terms,
    retracted: str = "",
) -> tuple[FileLink, ...]:
    """Return the files of an item to publish, sorted by their addresses.

    `candidates` are the copies of the last search, `decisions` all decisions, the oldest first, `held` the published
    files. A published file without a decision stays: only a decision withdraws it. `retracted` is the sentence about a
    retraction of the work, or empty; all discovered files get it.
    """
    published = {file.url: file for file in held}
    seen = {address(candidate.url): candidate for candidate in candidates}
    last = {address(decision.url): decision for decision in decisions}
    files = [file for file in published.values() if file.origin is FileOrigin.DISCOVERED and file.url not in last]
    files += [
        link
        for url, decision in last.items()
        if decision.verdict == "accept" and (link := _accepted(decision, seen.get(url), published.get(url)))
    ]
    files = [_offered(file, terms)._replace(retracted=retracted) for file in files]
    accepted = {file.url for file in files}
    files += [
        link
        for url, candidate in seen.items()
        if candidate.found_by == NAMED and url not in accepted and (link := _named(candidate, published.get(url)))
    ]
    return tuple(sorted(files, key=lambda file: file.url))


def _accepted(decision: Decision, candidate: Candidate | None, held: FileLink | None) -> FileLink | None:
    """Return an accepted file; None if the accepted bytes are not those of the last search."""
    if held is not None and held.sha256 == decision.sha256 and held.origin is FileOrigin.DISCOVERED:
        return held
    if candidate is None or candidate.sha256 != decision.sha256:
        return None
    evidence = candidate.evidence.removeprefix(f"{candidate.found_by}:").strip()
    return _link(candidate)._replace(
        origin=FileOrigin.DISCOVERED,
        found_in=f"{candidate.found_by} ({evidence})" if evidence else candidate.found_by,
        license=candidate.license_url or license_uri(candidate.license) or candidate.license,
        version=candidate.version or candidate.text_version,
        is_supplement=candidate.is_supplement,
    )


def _named(candidate: Candidate, held: FileLink | None) -> FileLink | None:
    """Return the facts about a file that the record names; None if it could never be fetched.

    A file that was there, and is not any more, keeps its facts and is flagged. The record still names it. If a search
    has found it too, and it is not accepted any more, what the search has stated of it is removed.
    """
    if held is not None and held.origin is FileOrigin.DISCOVERED:
        held = _of_record(held)
    if candidate.outcome is Outcome.SUCCESS:
        is_same = held is not None and held.sha256 == candidate.sha256
        return held._replace(missing="") if held is not None and is_same else _link(candidate)
    if held is None or candidate.outcome in UNSEEN or held.missing:
        return held
    return held._replace(missing=f"since {utc_datetime(candidate.at)[:10]} ({candidate.outcome})")


def _of_record(file: FileLink) -> FileLink:
    """Return a file without what a search has stated of it."""
    origin = FileOrigin.UPSTREAM
    return file._replace(
        origin=origin, found_in="", license="", version="", copy_url="", content=b"", retracted="", is_named=False
    )


def _link(candidate: Candidate) -> FileLink:
    return FileLink(
        address(candidate.url),
        candidate.mime_type,
        size=candidate.size,
        sha256=candidate.sha256,
        modified=candidate.modified,
        found_at=utc_datetime(candidate.at),
    )


class Releaser:
    """Publishes the decisions of an instance."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        discovery: Discovery,
        settings: Settings,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """Take the search database (`discovery`), the store to publish in, its inbox, and the settings.

        `patience_seconds` is how long it waits for others that publish decisions.
        """
        self._store, self._inbox, self._discovery = store, inbox, discovery
        self._lock, self._patience_seconds = settings.instance / "locks" / _LOCK, patience_seconds
        self._terms: Terms = terms_of(settings)
        # Items that the search database has noted as published in another store are not published in this one.
        self._epoch = store.fact(EPOCH_FACT)
        self._published_on = " ".join(filter(None, (repr(self._terms._replace(copies=None)), self._epoch)))

    def release(self, sources: Collection[str] = ()) -> int:
        """Publish the decisions that are not published yet, of some sources (none: all).

        Return how many records got a new datestamp. Raise StoreError, such as StoreBusy.
        """
        return self._released(sources, None).total()

    def release_items(self, identifiers: Collection[str]) -> Counter[str]:
        """Publish the decisions on some items; return how many records of an item got a new datestamp.

        Raise StoreError.
        """
        return self._released((), identifiers)

    def _released(self, sources: Collection[str], identifiers: Collection[str] | None) -> Counter[str]:
        self._begin()
        stamped, after = Counter[str](), ""
        while batch := self._discovery.unpublished(after, BATCH, sources, identifiers):
            with self._alone():
                stamped += self._release_batch(batch)
            after = batch[-1].identifier
            if len(batch) == BATCH:
                sleep(_TURN_SECONDS)
        return stamped

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until nobody else publishes decisions; inside the block, others wait."""
        with ExitStack() as held:
            try:
                held.enter_context(locked(self._lock, self._patience_seconds))
                held.enter_context(self._store.locks.held(_LOCK, self._patience_seconds))
            except OSError as error:
                raise StoreUnwritable(f"The lock {self._lock} cannot be made: {error.strerror}.") from error
            yield

    def _release_batch(self, batch: Sequence[Unpublished]) -> Counter[str]:
        """Publish items. Their decisions are read now, so they are those that were counted, or newer ones."""
        stamped = Counter[str]()
        by_source = sorted(batch, key=lambda item: item.source)
        for source, items in groupby(by_source, key=lambda item: item.source):
            stamped += self._release(source, tuple(items))
        self._discovery.published(batch)
        return stamped

    def _begin(self) -> None:
        """Mark everything as changed if the store is another one, or the terms have changed since."""
        before = self._store.fact(_TERMS_FACT)
        if before == self._published_on:
            return
        if before.endswith(self._epoch):
            self._discovery.change_all()
        else:
            self._discovery.start_again()
        self._store.remember(_TERMS_FACT, self._published_on)

    def _release(self, source: str, items: Sequence[Unpublished]) -> Counter[str]:
        identifiers = {item.upstream: item.identifier for item in items}
        stamped = file_all(self._store, self._inbox, source, identifiers, self._known)
        return Counter({identifiers[upstream]: count for upstream, count in stamped.items()})

    def _known(self, state: ItemState) -> tuple[FileLink, ...]:
        """Return all files of an item, by the decision in force on each."""
        searched, decisions = self._discovery.search(state.identifier), self._discovery.decisions(state.identifier)
        return files_of(candidates_of(searched), decisions, state.files, self._terms, retracted_of(searched))
