"""Opens the databases of an instance: files in its folder, or schemas of the PostgreSQL database that `store` names.

All other modules use only the classes of `base`. On PostgreSQL, each process first checks that the database can be used
(`postgres.server`), and that it is that of this repository.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from gateway.core.errors import ConfigurationError, StoreMissing
from gateway.core.instance import key
from gateway.core.model import Publication
from gateway.core.settings import SETTINGS, Settings
from gateway.store.base import Discovery, Inbox, Store, Subscribers, Subscriptions, Users
from gateway.store.clock import HostClock
from gateway.store.connecting import checked, schema_exists
from gateway.store.instance import DISCOVERY, INBOX, STORE, SUBSCRIPTIONS, USERS, Instance
from gateway.store.sqlite.conversion import is_due
from gateway.store.waiting import PATIENCE_SECONDS

COPYING_FACT = "copying"  # of a store that `gateway store copy` has not completed
_INCOMPLETE = "The copy of the repository at this place is not complete. Repeat `gateway store copy`."
_KEY_FACT = "key"  # a digest of the secret: machines of one repository have the same
_OTHER = (
    "The database that `store` names has another repository, or this machine has another secret. Choose another "
    "database, or copy the file `secret` from the instance folder that made this one."
)


def open_store(
    settings: Settings,
    *,
    create: bool = False,
    clock: HostClock | None = None,
    show_departed: bool = False,
    only_reads: bool = False,
    published: Callable[[Publication], None] = lambda _: None,
) -> Store:
    """Return the store of an instance; with `create`, make it if it is missing.

    With `show_departed`, lists of a set show the records that left it as deleted. A clock that is further ahead than
    the setting allows without a known reason is not accepted. With `only_reads`, the store can be read even if nothing
    can be written. `published` is called with each publication that was committed. Raise StoreMissing, StoreTooNew,
    StoreBusy, StoreUnwritable or StoreDamaged. On PostgreSQL, raise ConfigurationError if the database cannot be used.
    """
    url = _url(settings)
    store = Store(
        settings.instance / STORE,
        create=create,
        url=url,
        clock=clock,
        show_departed=show_departed,
        max_jump_seconds=settings.number("clock_max_jump_seconds"),
        only_reads=only_reads,
        published=published,
    )
    try:
        _check(store, key(settings, "repository").hex() if url else "")
    except BaseException:
        store.close()
        raise
    return store


def _check(store: Store, digest: str) -> None:
    """Raise StoreMissing if a store is an incomplete copy, and ConfigurationError if it has another `digest`."""
    if store.fact(COPYING_FACT):
        raise StoreMissing(_INCOMPLETE)
    known = store.fact(_KEY_FACT) if digest else ""
    if digest and not known:
        store.remember(_KEY_FACT, digest)
    elif known != digest:
        raise ConfigurationError(_OTHER)


def _url(settings: Settings) -> str:
    """Return the address of the PostgreSQL database after its check; it is empty for files."""
    return checked(settings.text("store"))


def settings_of_files(folder: Path) -> Settings:
    """Return the default settings for a folder that has databases as files, such as that of a restore."""
    return Settings(folder, {setting.name: setting.default for setting in SETTINGS}, {})


def check_on_files(settings: Settings, instead: str) -> None:
    """Raise ConfigurationError, which says what to do instead, if the databases are not files."""
    if is_on_server(settings):
        raise ConfigurationError(f"This is not possible while the databases are on PostgreSQL. {instead}")


def is_on_server(settings: Settings) -> bool:
    """Return whether the databases are on PostgreSQL, and not files in the instance folder."""
    return bool(settings.text("store"))


def has_database(settings: Settings, name: str) -> bool:
    """Return whether an instance has a database, named as its file; False if it is absent.

    Raise StoreMissing if it is lost, and StoreError if that cannot be known.
    """
    if url := _url(settings):
        return schema_exists(url, name.partition(".")[0])
    return Instance(settings.instance).has(name)


def needs_conversion(settings: Settings) -> bool:
    """Return whether the store has records of an earlier release, which `open_store` will move first."""
    return not is_on_server(settings) and is_due(settings.instance / STORE)


def open_inbox(settings: Settings, *, create: bool = False, only_reads: bool = False) -> Inbox:
    """Return the inbox of an instance; with `create`, make it if it is missing. Raise as `open_store`."""
    return Inbox(settings.instance / INBOX, create=create, url=_url(settings), only_reads=only_reads)


def open_discovery(
    settings: Settings, *, only_reads: bool = False, patience_seconds: float = PATIENCE_SECONDS
) -> Discovery:
    """Return the searches of an instance; make the database if it is missing, unless it is only read.

    A writer waits for another process for at most `patience_seconds`. Raise as `open_store`.
    """
    return Discovery(
        settings.instance / DISCOVERY, url=_url(settings), only_reads=only_reads, patience_seconds=patience_seconds
    )


def open_subscriptions(settings: Settings) -> Subscriptions:
    """Return the subscriptions of an instance; the database is made with the first subscription."""
    return Subscriptions(settings.instance / SUBSCRIPTIONS, _url(settings))


def open_subscribers(settings: Settings) -> Subscribers:
    """Return the subscribers of our hub; they are in the database of the subscriptions, made with the first request."""
    return Subscribers(settings.instance / SUBSCRIPTIONS, _url(settings))


def open_users(settings: Settings) -> Users:
    """Return the people who may sign in at an instance; the database is made with the first user."""
    return Users(settings.instance / USERS, _url(settings))


# --- The searches of an instance and the decisions on their files, for the review: opened when they are needed -------

_PATIENCE_SECONDS = 20.0  # a person waits, and other pages wait for the thread


class DiscoveryOnDemand:
    """The searches of an instance. Nothing is opened or made before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._discovery: Discovery | None = None

    def open(self) -> Discovery:
        """Return the searches; they are opened, and made, the first time. Raise as `open_store`."""
        with self._lock:
            if self._discovery is None:
                self._discovery = open_discovery(self._settings, patience_seconds=_PATIENCE_SECONDS)
            return self._discovery

    def close(self) -> None:
        """Close the database."""
        if self._discovery is not None:
            self._discovery.close()
