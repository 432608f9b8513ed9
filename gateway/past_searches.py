"""The last searches for full text, for the pages of items: read where the harvester writes them."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from gateway.errors import StoreError
from gateway.fulltext.stored_search import tried_of
from gateway.model import Tried
from gateway.store.base_discovery import Discovery
from gateway.store.opening import open_discovery

log = logging.getLogger("gateway")


class PastSearches:
    """The searches of an instance folder. They are not needed: a page is shown without them if they cannot be read."""

    def __init__(self, folder: Path) -> None:
        """Take the instance folder. The file is opened when it is there and asked for."""
        self._folder = folder
        self._lock = Lock()
        self._discovery: Discovery | None = None
        self._is_broken = False

    def tried(self, identifier: str) -> Tried | None:
        """Return the last search for an item; None if there was none, or if the searches cannot be read."""
        try:
            discovery = self._opened()
            return None if discovery is None else tried_of(discovery.search(identifier))
        except (
            StoreError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:  # because of what a damaged row may contain
            if not self._is_broken:
                log.warning("The pages show no searches, because these cannot be read: %s", error)
            self._is_broken = True
            return None

    def _opened(self) -> Discovery | None:
        with self._lock:
            if self._discovery is None and (self._folder / "discovery.sqlite").is_file():
                self._discovery = open_discovery(self._folder, only_reads=True)
            return self._discovery

    def close(self) -> None:
        """Close the file."""
        if self._discovery is not None:
            self._discovery.close()
