"""What was decided and learned of files is published: for each item of which something may have changed, once.

An item is noted as published after that was committed. Killed in between, it is looked at again, and nothing is new.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from gateway.filing import file_all
from gateway.model import FileLink, ItemState, Unpublished
from gateway.settings import Settings
from gateway.store.base import Inbox, Store
from gateway.store.sqlite_discovery import SqliteDiscovery
from gateway.store.step import EPOCH_FACT
from harvester.search.carrying import Terms, files_of, terms_of
from harvester.search.stories import candidates_of, retracted_of

_TERMS_FACT = "terms of files"
BATCH = 100  # items of one transaction, and of one publication


class Releasing:
    """Publishes what is decided in an instance."""

    def __init__(self, store: Store, inbox: Inbox, desk: SqliteDiscovery, settings: Settings) -> None:
        """Take where it is decided, and where it is published."""
        self._store, self._inbox, self._desk = store, inbox, desk
        self._terms: Terms = terms_of(settings)
        # What the desk has noted as published in another store is not published in this one.
        self._epoch = store.fact(EPOCH_FACT)
        self._published_on = " ".join(filter(None, (repr(self._terms._replace(copies=None)), self._epoch)))

    def release(self, sources: Collection[str] = (), identifier: str = "") -> int:
        """Publish what is not published yet, of some sources or of one item; return how many records were stamped.

        Raise what the store raises.
        """
        self._begin()
        stamped, after = 0, ""
        while batch := self._desk.unpublished(after, BATCH, sources, identifier):
            by_source = sorted(batch, key=lambda each: each.source)
            for source, items in groupby(by_source, key=lambda each: each.source):
                stamped += self._release(source, tuple(items))
            self._desk.published(batch)
            after = batch[-1].identifier
        return stamped

    def _begin(self) -> None:
        """Look at everything again when the store is another one, or was published on other terms."""
        before = self._store.fact(_TERMS_FACT)
        if before == self._published_on:
            return
        if before.endswith(self._epoch):
            self._desk.change_all()
        else:
            self._desk.start_again()
        self._store.remember(_TERMS_FACT, self._published_on)

    def _release(self, source: str, items: Sequence[Unpublished]) -> int:
        upstreams = [each.upstream for each in items]
        return file_all(self._store, self._inbox, source, upstreams, self._known)

    def _known(self, state: ItemState) -> tuple[FileLink, ...]:
        """Return all that is to be known of the files of an item, from the last word on each."""
        searched, decisions = self._desk.search(state.identifier), self._desk.decisions(state.identifier)
        return files_of(candidates_of(searched), decisions, state.files, self._terms, retracted_of(searched))
