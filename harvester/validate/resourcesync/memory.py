"""What an earlier run saw, in a folder: the digests of documents and packages, and the Resource Lists."""

import json
from pathlib import Path
from typing import NamedTuple

from gateway.core.errors import ConfigurationError
from harvester.validate.resourcesync.inventory import Inventory, key_of, read_inventory
from harvester.validate.resourcesync.model import Document

_FILE = "documents.json"
_MOST_BYTES = 100_000_000


class Before(NamedTuple):
    """A document or package as an earlier run saw it. `until` is stated: it was closed."""

    digest: str
    at: str = ""
    until: str = ""


class Memory:
    """The memory of runs. Without a folder, nothing is kept. Call `keep` at the end."""

    def __init__(self, folder: Path | None) -> None:
        """Take the folder, which is made if it is missing. Raise ConfigurationError when it cannot be used."""
        self._folder = folder
        self.before: dict[str, Before] = {}
        self._now: dict[str, Before] = {}
        self.is_kept = folder is not None
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.before = _read(folder / _FILE)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be used: {error.strerror}.") from error

    def document(self, document: Document) -> None:
        """Note a document that was read to its end."""
        if self.is_kept and document.is_whole and document.digest:
            times = (document.md.get("at", ""), document.md.get("until", ""))
            self._now[document.url] = Before(document.digest, *times)

    def package(self, url: str, digest: str, manifest: Document) -> None:
        """Note a package with the times of its manifest."""
        if self.is_kept:
            self._now[url] = Before(digest, manifest.md.get("at", ""), manifest.md.get("until", ""))

    def now(self, url: str) -> Before | None:
        """Return what this run saw."""
        return self._now.get(url)

    def inventory(self, url: str) -> Inventory | None:
        """Return the Resource List of an earlier run. Raise ConfigurationError when the folder cannot be read."""
        if self._folder is None:
            return None
        try:
            return read_inventory(self._inventory_file(self._folder, url))
        except OSError as error:
            raise ConfigurationError(f"{self._folder} cannot be read: {error.strerror}.") from error

    def keep(self, inventories: dict[str, Inventory]) -> None:
        """Write what this run saw. What it did not see stays. Raise ConfigurationError when it cannot be written."""
        folder = self._folder
        assert folder is not None
        try:
            for url, inventory in inventories.items():
                inventory.write(self._inventory_file(folder, url))
            beside = folder / f"{_FILE}.new"
            beside.write_text(json.dumps(self.before | self._now, indent=0), "utf-8")
            beside.replace(folder / _FILE)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be written: {error.strerror}.") from error

    def _inventory_file(self, folder: Path, url: str) -> Path:
        return folder / f"{key_of(url):016x}.resources"


def _read(file: Path) -> dict[str, Before]:
    """Return what a file says; nothing when it is none of ours. Raise OSError."""
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return {}
    try:
        document = json.loads(file.read_bytes())
        return {url: Before(*map(str, values)) for url, values in document.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
