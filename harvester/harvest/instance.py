"""One instance folder, opened for harvesting: settings, sources, store and inbox."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.core.errors import ClockAhead, StoreBusy
from gateway.core.instance_folder import DISCOVERY, IRREPLACEABLE
from gateway.core.instance_folder import Instance as Files
from gateway.core.program import begin_log
from gateway.core.settings import Settings, instance_folder, load
from gateway.publish.step import INBOX_IS_OLD, check_inbox, check_whole, last_lost
from gateway.store.base import Databases, Discovery, Inbox, Store, Subscribers, Subscriptions
from harvester.harvest.sources_toml import SourcesFile
from harvester.runtime.exit_status import SourceLocked
from harvester.runtime.locks import lock

if TYPE_CHECKING:
    from gateway.search.indexing import Following

log = logging.getLogger("harvester")

_PROMPT_SECONDS = 90.0  # one repetition where a busy server does not say how long to wait


@dataclass(frozen=True, slots=True)
class Instance:
    """The open settings, store, inbox and sources of one instance."""

    settings: Settings
    store: Store
    inbox: Inbox
    sources: SourcesFile
    subscriptions: Subscriptions
    subscribers: Subscribers
    discovery: Callable[[], Discovery]  # opened, and made, when it is asked for: few need it
    index: Following | None  # None where nothing is published

    @property
    def folder(self) -> Path:
        """The instance folder."""
        return self.settings.instance

    def at_prompt(self) -> Instance:
        """Return it for a command that a person may wait for: on a terminal, no wait is longer than 90 seconds."""
        return replace(self, settings=at_prompt(self.settings))

    def check_clock(self) -> None:
        """Raise ClockAhead when the clock of this machine is wrong, because it dates received records."""
        if problem := self.store.clock_problem():
            raise ClockAhead(problem)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the lock of a source, or of a round, inside the block: on this machine, and among all.

        Raise SourceLocked if it is held, and StoreUnwritable on a full disk.
        """
        with lock(self.folder, name), ExitStack() as held:
            try:
                held.enter_context(self.store.locks.held(name))
            except StoreBusy as error:
                raise SourceLocked(str(error)) from error
            yield

    @property
    def has_searched(self) -> bool:
        """Return whether full text was ever searched for."""
        return Databases(self.settings).has(DISCOVERY)


def at_prompt(settings: Settings) -> Settings:
    """Return settings with which no wait is longer than 90 seconds, if the command has a terminal."""
    if not sys.stderr.isatty():
        return settings
    most = min(_PROMPT_SECONDS, settings.seconds("fetch_max_wait_seconds"))
    return Settings(settings.instance, {**settings, "fetch_max_wait_seconds": most}, settings.origins)


def sources_file(folder: Path) -> SourcesFile:
    """Return `sources.toml` of an instance folder."""
    return SourcesFile(folder / "sources.toml")


@contextmanager
def opened(option: str | None, *, only_reads: bool = False, is_child: bool = False) -> Iterator[Instance]:
    """Open the instance folder that the option names, and close it at the end of the block.

    With `only_reads` that can be done on a full disk, and on one that cannot be written. At the end, the search index
    is completed, except by a child process (`is_child`): its parent process does that.

    Raise StoreMissing when there is no store, or the inbox of a store that is not new is lost. Raise StoreError when
    the store is new and the inbox is not, ConfigurationError when a setting is wrong.
    """
    folder = instance_folder(option)
    settings = load(folder)
    begin_log(settings)
    with (
        _store(settings, only_reads=only_reads, is_child=is_child) as (store, index),
        closing(_inbox(settings, store, only_reads=only_reads)) as inbox,
        closing(Databases(settings).subscriptions()) as subscriptions,
        closing(Databases(settings).subscribers()) as subscribers,
        ExitStack() as later,
    ):
        check_whole(store, inbox)
        if not only_reads:
            Files(folder).note(*IRREPLACEABLE)
            _number_behind(store, inbox)
            from gateway.ops.recovery import remember_sources  # noqa: PLC0415 - commands that only read need it not

            remember_sources(store, inbox)
        discovery = cache(lambda: later.enter_context(closing(Databases(settings).discovery())))
        yield Instance(settings, store, inbox, sources_file(folder), subscriptions, subscribers, discovery, index)


@contextmanager
def _store(settings: Settings, *, only_reads: bool, is_child: bool) -> Iterator[tuple[Store, Following | None]]:
    if only_reads:
        with closing(Databases(settings).store(only_reads=True)) as store:
            yield store, None
        return
    from gateway.search.indexing import following  # noqa: PLC0415 - commands that only read need no format and no index

    with following(settings, completes=not is_child) as index:
        yield index.store, index


def _inbox(settings: Settings, store: Store, *, only_reads: bool) -> Inbox:
    check_inbox(store, settings)
    return Databases(settings).inbox(create=True, only_reads=only_reads)


def _number_behind(store: Store, inbox: Inbox) -> None:
    """Reserve the page numbers that the store has published: a page with such a number would never be published."""
    if last := last_lost(store, inbox):
        inbox.number_behind(last)
        log.warning(INBOX_IS_OLD)
