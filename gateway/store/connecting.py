"""Chooses the connector of a database, and the clock of the store. Only this module knows which there are.

A database of an instance has a path in its folder, such as `inbox.sqlite`; the stem names its migrations and schema.
"""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Final

from gateway.core.errors import StoreError
from gateway.store.clock import THIS_HOST, HostClock
from gateway.store.connector import BUSY_SECONDS, Connector
from gateway.store.postgres.clock import PostgresClock
from gateway.store.queries import load
from gateway.store.sqlite.connector import DAMAGED_VALUE, SqliteConnector
from gateway.store.store_clock import StoreClock

DRIVER_ERRORS: Final = (DAMAGED_VALUE,)  # what a driver raises at a damaged value, in the middle of a loan
_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_STORE_PAGE_BYTES: Final = 4_096  # blocks are chains of pages, and half of the last page of a chain is empty
_PAGE_BYTES: Final = 16_384  # rows of 400 bytes: fewer, fuller pages than with 4 kB, and the blobs seldom overflow


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
        dictionary=load("sqlite/store")["dictionary"] if is_store else "",
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
