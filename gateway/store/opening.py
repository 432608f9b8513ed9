"""Opens the databases of an instance: files in its folder, or schemas of the PostgreSQL database that `store` names.

All other modules use only the classes of `base`. On PostgreSQL, each process first checks that the database can be used
(`postgres.server`), and that it is that of this repository.
"""

from collections.abc import Callable
from threading import Lock

from gateway.core.clock import HostClock
from gateway.core.errors import ConfigurationError, StoreMissing
from gateway.core.instance import key
from gateway.core.instance_folder import DISCOVERY, INBOX, STORE, SUBSCRIPTIONS, USERS, Instance
from gateway.core.model import Publication
from gateway.core.settings import Settings
from gateway.core.waiting import PATIENCE_SECONDS
from gateway.store.connecting import checked, schema_exists
from gateway.store.discovery import Discovery
from gateway.store.inbox import Inbox
from gateway.store.sqlite.conversion import is_due
from gateway.store.store import Store
from gateway.store.subscriptions import Subscribers, Subscriptions
from gateway.store.users import Users

COPYING_FACT = "copying"  # of a store that `gateway store copy` has not completed
_INCOMPLETE = "The copy of the repository at this place is not complete. Repeat `gateway store copy`."
_KEY_FACT = "key"  # a digest of the secret: machines of one repository have the same
_OTHER = (
    "The database that `store` names has another repository, or this machine has another secret. Choose another "
    "database, or copy the file `secret` from the instance folder that made this one."
)


class Databases:
    """The databases of the instance that `settings` describe. None is opened before its method is called."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._folder = settings, settings.instance

    def store(
        self,
        *,
        create: bool = False,
        clock: HostClock | None = None,
        show_departed: bool = False,
        only_reads: bool = False,
        published: Callable[[Publication], None] = lambda _: None,
    ) -> Store:
        """Return the store, open; with `create`, make it if it is missing.

        With `show_departed`, lists of a set show the records that left it as deleted. A clock that is further ahead
        than the setting allows without a known reason is not accepted. With `only_reads`, the store can be read even if
        nothing can be written. `published` is called with each publication that was committed. Raise StoreMissing,
        StoreTooNew, StoreBusy, StoreUnwritable or StoreDamaged. On PostgreSQL, raise ConfigurationError if the database
        cannot be used.
        """
        url = self._url()
        store = Store(
            self._folder / STORE,
            create=create,
            url=url,
            clock=clock,
            show_departed=show_departed,
            max_jump_seconds=self._settings.number("clock_max_jump_seconds"),
            only_reads=only_reads,
            published=published,
        )
        try:
            _check(store, key(self._settings, "repository").hex() if url else "")
        except BaseException:
            store.close()
            raise
        return store

    def inbox(self, *, create: bool = False, only_reads: bool = False) -> Inbox:
        """Return the inbox, open; with `create`, make it if it is missing. Raise as `store`."""
        return Inbox(self._folder / INBOX, create=create, url=self._url(), only_reads=only_reads)

    def discovery(self, *, only_reads: bool = False, patience_seconds: float = PATIENCE_SECONDS) -> Discovery:
        """Return the searches, open; make the database if it is missing, unless it is only read.

        A writer waits for another process for at most `patience_seconds`. Raise as `store`.
        """
        return Discovery(
            self._folder / DISCOVERY, url=self._url(), only_reads=only_reads, patience_seconds=patience_seconds
        )

    def subscriptions(self) -> Subscriptions:
        """Return the subscriptions; the database is made with the first subscription."""
        return Subscriptions(self._folder / SUBSCRIPTIONS, self._url())

    def subscribers(self) -> Subscribers:
        """Return the subscribers of our hub; they are in the database of the subscriptions."""
        return Subscribers(self._folder / SUBSCRIPTIONS, self._url())

    def users(self) -> Users:
        """Return the people who may sign in; the database is made with the first user."""
        return Users(self._folder / USERS, self._url())

    def has(self, name: str) -> bool:
        """Return whether the instance has a database, named as its file; False if it is absent.

        Raise StoreMissing if it is lost, and StoreError if that cannot be known.
        """
        if url := self._url():
            return schema_exists(url, name.partition(".")[0])
        return Instance(self._folder).has(name)

    def are_on_server(self) -> bool:
        """Return whether the databases are on PostgreSQL, and not files in the instance folder."""
        return bool(self._settings.text("store"))

    def check_on_files(self, instead: str) -> None:
        """Raise ConfigurationError, which says what to do instead, if the databases are not files."""
        if self.are_on_server():
            raise ConfigurationError(f"This is not possible while the databases are on PostgreSQL. {instead}")

    def need_conversion(self) -> bool:
        """Return whether the store has records of an earlier release, which `store` will move first."""
        return not self.are_on_server() and is_due(self._folder / STORE)

    def _url(self) -> str:
        """Return the address of the PostgreSQL database after its check; it is empty for files."""
        return checked(self._settings.text("store"))


def _check(store: Store, digest: str) -> None:
    """Raise StoreMissing if a store is an incomplete copy, and ConfigurationError if it has another `digest`."""
    if store.fact(COPYING_FACT):
        raise StoreMissing(_INCOMPLETE)
    known = store.fact(_KEY_FACT) if digest else ""
    if digest and not known:
        store.remember(_KEY_FACT, digest)
    elif known != digest:
        raise ConfigurationError(_OTHER)


# --- The searches of an instance and the decisions on their files, for the review: opened when they are needed -------

_PATIENCE_SECONDS = 20.0  # a person waits, and other pages wait for the thread


class DiscoveryOnDemand:
    """The searches of an instance. Nothing is opened or made before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._discovery: Discovery | None = None

    def open(self) -> Discovery:
        """Return the searches; they are opened, and made, the first time. Raise as `Databases.store`."""
        with self._lock:
            if self._discovery is None:
                self._discovery = Databases(self._settings).discovery(patience_seconds=_PATIENCE_SECONDS)
            return self._discovery

    def close(self) -> None:
        """Close the database."""
        if self._discovery is not None:
            self._discovery.close()
