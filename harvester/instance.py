"""One instance folder, opened for harvesting: settings, sources, store and inbox."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gateway.settings import Settings, instance_folder, load
from gateway.store.base import Inbox, Store, Subscriptions
from gateway.store.sqlite import open_inbox, open_store
from gateway.store.sqlite_discovery import SqliteDiscovery, open_discovery
from gateway.store.sqlite_subscriptions import open_subscriptions
from gateway.store.step import INBOX_IS_OLD, last_lost
from harvester.sources_file import SourcesFile

log = logging.getLogger("harvester")


@dataclass(frozen=True, slots=True)
class Instance:
    """What the commands work on."""

    settings: Settings
    store: Store
    inbox: Inbox
    sources: SourcesFile
    subscriptions: Subscriptions
    desk: Callable[[], SqliteDiscovery]  # opened, and made, when it is asked for: few need it

    @property
    def folder(self) -> Path:
        """The instance folder."""
        return self.settings.instance

    @property
    def has_searched(self) -> bool:
        """Whether full text was ever searched for."""
        return (self.folder / "discovery.sqlite").is_file()


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
    with (
        closing(open_store(folder)) as store,
        closing(open_inbox(folder, create=True)) as inbox,
        closing(open_subscriptions(folder)) as subscriptions,
        ExitStack() as later,
    ):
        _number_behind(store, inbox)
        desk = cache(lambda: later.enter_context(closing(open_discovery(folder))))
        yield Instance(settings, store, inbox, sources_file(folder), subscriptions, desk)


def _number_behind(store: Store, inbox: Inbox) -> None:
    """Let no page get a number that the store has published already: it would never be published."""
    if last := last_lost(store, inbox):
        inbox.number_behind(last)
        log.warning(INBOX_IS_OLD)
