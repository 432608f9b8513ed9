"""The searches of an instance and the decisions on their files, for the review: opened when they are needed."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from gateway.store.base_discovery import Discovery
from gateway.store.opening import open_discovery

_PATIENCE_SECONDS = 20.0  # a person waits, and other pages wait for the thread


class Desk:
    """`discovery.sqlite` of an instance folder. Nothing is opened or made before it is needed."""

    def __init__(self, folder: Path) -> None:
        """Take the instance folder."""
        self._folder = folder
        self._lock = Lock()
        self._discovery: Discovery | None = None

    def open(self) -> Discovery:
        """Return the searches; they are opened, and made, the first time. Raise as `open_store`."""
        with self._lock:
            if self._discovery is None:
                self._discovery = open_discovery(self._folder, patience_seconds=_PATIENCE_SECONDS)
            return self._discovery

    def close(self) -> None:
        """Close the file."""
        if self._discovery is not None:
            self._discovery.close()
