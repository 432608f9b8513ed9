"""Publishes the decisions on files: each item that may have changed, once.

An item is marked as published after the commit. If the process is killed in between, the item is published again, which
changes nothing. One process or thread at a time publishes decisions, a batch at a time. Otherwise one could read them,
and write what it has read after another one has published newer decisions and found nothing to change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from time import sleep

from gateway.core.errors import StoreUnwritable
from gateway.core.model import FileLink, ItemState, Unpublished
from gateway.core.settings import Settings
from gateway.fulltext.published_files import Terms, files_of, terms_of
from gateway.fulltext.stored_search import candidates_of, retracted_of
from gateway.publish.publish_files import file_all
from gateway.store.base import Discovery, Inbox, Store
from gateway.store.lock_file import locked
from gateway.store.step import EPOCH_FACT

_TERMS_FACT = "terms of files"
BATCH = 100  # items of one transaction, and of one publication
_LOCK = ".releasing"  # in `locks/`; no source can have this name
PATIENCE_SECONDS = 3600.0  # as for a database: a person may have stopped the other process
_TURN_SECONDS = 0.005  # between two batches, so that those who wait have their turn


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
