"""Chooses the connector of a database, the clock of the store, and the locks. Only this module knows which there are.

A database of an instance has a path in its folder, such as `inbox.sqlite`; the stem names its migrations and schema.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final, Protocol

from gateway.core.clock import THIS_HOST, HostClock
from gateway.core.errors import ConfigurationError, StoreError
from gateway.store.connector import BUSY_SECONDS, Connector, Parameters, Session
from gateway.store.postgres.clock import PostgresClock
from gateway.store.sqlite.connector import DAMAGED_VALUE, SqliteConnector
from gateway.store.store_clock import StoreClock

DRIVER_ERRORS: Final = (DAMAGED_VALUE,)  # what a driver raises at a damaged value, in the middle of a loan
_NO_DRIVER: Final = (
    "The setting store names a PostgreSQL database, but psycopg is missing. Install the gateway with its extra "
    "`postgres`, or psycopg 3 (`pip install 'psycopg[binary]'`)."
)
_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_STORE_PAGE_BYTES: Final = 4_096  # blocks are chains of pages, and half of the last page of a chain is empty
_PAGE_BYTES: Final = 16_384  # rows of 400 bytes: fewer, fuller pages than with 4 kB, and the blobs seldom overflow


class Locks(Protocol):
    """The locks that the machines of one repository share, by name. Every method may raise StoreError.

    They are of a source, and of what one process does at a time. On files there is one machine, whose processes have
    the locks in `locks/` of the instance folder (`core.waiting`). On PostgreSQL, a process holds both, the one in its
    folder first.
    """

    def held(self, name: str, seconds: float = 0.0) -> AbstractContextManager[None]:
        """Hold a lock inside the block. Raise StoreBusy if another machine holds it for so many `seconds`."""

    def is_held(self, name: str) -> bool:
        """Return whether some machine holds a lock now."""


class OneMachine:
    """The locks of a repository on files: no other machine has it."""

    @contextmanager
    def held(self, name: str, seconds: float = 0.0) -> Iterator[None]:  # noqa: ARG002 - there is nobody to wait for
        """Hold nothing."""
        yield

    def is_held(self, name: str) -> bool:  # noqa: ARG002 - as above
        """Return False."""
        return False


def connect(
    path: Path,
    database: str,
    *,
    create: bool,
    url: str = "",
    busy_seconds: float = BUSY_SECONDS,
    only_reads: bool = False,
) -> Connector:
    """Open, make (if `create`) or upgrade a database. `busy_seconds` is how long a writer waits for another one.

    `database` names its migrations. With `url`, it is the schema of that name in a PostgreSQL database, and `path` is
    what messages call it. With `only_reads`, a file can be read even if nothing can be written.
    Raise StoreMissing, StoreTooNew, StoreBusy, StoreUnwritable or StoreDamaged.
    """
    if url:
        from gateway.store.postgres.connector import PostgresConnector  # noqa: PLC0415 - psycopg is an extra

        return PostgresConnector(
            url, database, _MIGRATIONS / database, path=path, create=create, busy_seconds=busy_seconds
        )
    is_store = database == "store"
    return SqliteConnector(
        path,
        _MIGRATIONS / database,
        create=create,
        busy_seconds=busy_seconds,
        only_reads=only_reads,
        page_bytes=_STORE_PAGE_BYTES if is_store else _PAGE_BYTES,
        can_shrink=is_store,
    )


def connect_clock(
    file: Connector, host: HostClock | None, max_jump: float, step: Callable[[str], None], *, url: str = ""
) -> StoreClock | PostgresClock:
    """Return the clock of a store that is connected. Without a `host`, it uses this one, or the database server."""
    if url:
        return PostgresClock(file, host, max_jump, step)
    return StoreClock(file, host or THIS_HOST, max_jump, step)


def checked(url: str) -> str:
    """Return the address of a PostgreSQL database that can be used, or an empty one.

    Raise ConfigurationError if it cannot be used, and StoreBusy if the server does not answer.
    """
    if not url:
        return ""
    try:
        from gateway.store.postgres import server  # noqa: PLC0415 - psycopg is an extra
    except ImportError as error:
        raise ConfigurationError(_NO_DRIVER) from error
    return server.checked(url)


def connect_locks(url: str) -> Locks:
    """Return the locks of all machines that use a checked PostgreSQL database, or of the only one (no URL)."""
    if not url:
        return OneMachine()
    from gateway.store.postgres.locks import PostgresLocks  # noqa: PLC0415 - psycopg is an extra

    return PostgresLocks(url)


def schema_exists(url: str, schema: str) -> bool:
    """Return whether a checked PostgreSQL database has a schema. Raise StoreError."""
    from gateway.store.postgres import server  # noqa: PLC0415 - psycopg is an extra

    return server.schema_exists(url, schema)


def state_of(path: Path, url: str = "") -> Hashable | None:
    """Return what identifies a database as long as nobody replaces it; None if it is missing or empty."""
    if url:
        return url  # making a schema costs nothing
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    return (known.st_dev, known.st_ino) if known.st_size else None


# --- Files that are made with their first row: most instances have no subscription, no user --------------------------


class FileOnDemand:
    """A file that may be missing. Safe for threads and processes. Every method may raise StoreError."""

    _database: ClassVar[str]  # its name

    def __init__(self, path: Path, url: str = "") -> None:
        self._url = url
        self._path = path
        self._lock = Lock()
        self._file: Connector | None = None
        self._opened_as: Hashable | None = None

    def close(self) -> None:
        """Close all connections to the database."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None

    def _rows(self, query: str, parameters: Parameters = ()) -> list[Sequence[Any]]:
        """Return the rows of a query; none without a file, or with an empty one: who made it was killed."""
        if state_of(self._path, self._url) is None:
            return []
        with self._opened(create=False).reading() as session:
            return session.execute(query, parameters).fetchall()

    def _change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one query in a transaction of its own; return how many rows it has changed. Raise StoreMissing."""
        return self._opened(create=False).change(query, parameters)

    def _reading(self) -> AbstractContextManager[Session]:
        """Lend a connection for several queries. Raise StoreMissing without a file."""
        return self._opened(create=False).reading()

    def _writing(self, *, create: bool = False, at_most_seconds: float = inf) -> AbstractContextManager[Session]:
        """Write in one transaction; with `create`, make a missing file. Raise StoreMissing or StoreUnwritable.

        Raise StoreBusy if another process writes for `at_most_seconds`, or for as long as `Connector` waits.
        """
        return self._opened(create=create).writing(at_most_seconds)

    def _opened(self, *, create: bool) -> Connector:
        with self._lock:
            known = state_of(self._path, self._url)
            if self._file is not None and known != self._opened_as:
                self._file.close()  # it was deleted or replaced: what it said is no longer true
                self._file = None
            if self._file is None:
                self._file = connect(self._path, self._database, create=create or bool(self._url), url=self._url)
                self._opened_as = state_of(self._path, self._url)
            return self._file
