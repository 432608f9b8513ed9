"""One instance folder, opened for harvesting: settings, sources, store and inbox."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.settings import Settings, instance_folder, load
from gateway.store.base import Inbox, Store
from gateway.store.sqlite import open_inbox, open_store
from harvester.sources_file import SourcesFile


@dataclass(frozen=True, slots=True)
class Instance:
    """What the commands work on."""

    settings: Settings
    store: Store
    inbox: Inbox
    sources: SourcesFile

    @property
    def folder(self) -> Path:
        """The instance folder."""
        return self.settings.instance


def sources_file(folder: Path) -> SourcesFile:
    """Return `sources.toml` of an instance folder."""
    return SourcesFile(folder / "sources.toml")


@contextmanager
def opened(option: str | None) -> Iterator[Instance]:
    """Open the instance folder that the option names, and close it at the end of the block.

    Raise StoreMissing when there is no store, ConfigurationError when a setting is wrong. The inbox is made when it is
    not there: only harvesting needs it.
    """
    folder = instance_folder(option)
    settings = load(folder)
    store = open_store(folder)
    try:
        inbox = open_inbox(folder, create=True)
        try:
            yield Instance(settings, store, inbox, sources_file(folder))
        finally:
            inbox.close()
    finally:
        store.close()
