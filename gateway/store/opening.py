"""Opens the databases of an instance folder. This is the only module that chooses a backend; today there is SQLite.

All other modules use only the protocols of `base`.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from gateway.core.model import Publication
from gateway.store.base import Discovery, Inbox, Store, Subscribers, Subscriptions, Users
from gateway.store.clock import MAX_JUMP_SECONDS, HostClock
from gateway.store.instance import DISCOVERY, INBOX, STORE, SUBSCRIPTIONS, USERS
from gateway.store.sqlite.conversion import is_due
from gateway.store.waiting import PATIENCE_SECONDS


def open_store(
    folder: Path,
    *,
    url: str = "",
    create: bool = False,
    clock: HostClock | None = None,
    show_departed: bool = False,
    max_jump_seconds: int = MAX_JUMP_SECONDS,
    only_reads: bool = False,
    published: Callable[[Publication], None] = lambda _: None,
) -> Store:
    """Return the store of an instance folder; with `create`, make it if it is missing.

    With `show_departed`, lists of a set show the records that left it as deleted. A clock that is further ahead than
    `max_jump_seconds` without a known reason is not accepted; 0: every clock is. With `only_reads`, the store can be
    read even if nothing can be written. `published` is called with each publication that was committed. Raise
    StoreMissing, StoreTooNew, StoreBusy, StoreUnwritable or StoreDamaged.
    """
    return Store(
        folder / STORE,
        create=create,
        url=url,
        clock=clock,
        show_departed=show_departed,
        max_jump_seconds=max_jump_seconds,
        only_reads=only_reads,
        published=published,
    )


def needs_conversion(folder: Path) -> bool:
    """Return whether the store of a folder has records of an earlier release, which `open_store` will move first."""
    return is_due(folder / STORE)


def open_inbox(folder: Path, *, url: str = "", create: bool = False, only_reads: bool = False) -> Inbox:
    """Return the inbox of an instance folder; with `create`, make it if it is missing. Raise as `open_store`."""
    return Inbox(folder / INBOX, create=create, url=url, only_reads=only_reads)


def open_discovery(
    folder: Path, *, url: str = "", only_reads: bool = False, patience_seconds: float = PATIENCE_SECONDS
) -> Discovery:
    """Return the searches of an instance folder; make the file if it is missing, unless it is only read.

    A writer waits for another process for at most `patience_seconds`. Raise as `open_store`.
    """
    return Discovery(folder / DISCOVERY, url=url, only_reads=only_reads, patience_seconds=patience_seconds)


def open_subscriptions(folder: Path, url: str = "") -> Subscriptions:
    """Return the subscriptions of an instance folder; the file is made with the first subscription."""
    return Subscriptions(folder / SUBSCRIPTIONS, url)


def open_subscribers(folder: Path, url: str = "") -> Subscribers:
    """Return the subscribers of our hub; they are in the file of the subscriptions, made with the first request."""
    return Subscribers(folder / SUBSCRIPTIONS, url)


def open_users(folder: Path, url: str = "") -> Users:
    """Return the people who may sign in at an instance; the file is made with the first user."""
    return Users(folder / USERS, url)


# --- The searches of an instance and the decisions on their files, for the review: opened when they are needed -------

_PATIENCE_SECONDS = 20.0  # a person waits, and other pages wait for the thread


class DiscoveryOnDemand:
    """The searches of an instance folder. Nothing is opened or made before it is needed."""

    def __init__(self, folder: Path) -> None:
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
