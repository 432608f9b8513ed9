"""Locks between machines: advisory locks of sessions of their own. The server frees them when a process dies.

It frees those of a machine that does not answer after half a minute, and all of them when it ends. A process that is
stopped keeps its locks.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from math import inf
from time import monotonic, sleep
from typing import Final

import psycopg

from gateway.core.errors import StoreBusy
from gateway.store.postgres.server import name_of, reached, translated

_BETWEEN_TRIES_SECONDS: Final = 0.1
_ALIVE: Final = "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4"
_IS_HELD: Final = """
select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())
  and (classid::bigint << 32 | objid::bigint) = %s)"""


def _key(name: str) -> int:
    return int.from_bytes(blake2b(f"lock {name}".encode(), digest_size=8).digest(), "big", signed=True)


class PostgresLocks:
    """The locks of all machines whose databases are in one PostgreSQL database; see `Locks`."""

    def __init__(self, url: str) -> None:
        self._url, self._name = url, name_of(url)

    @contextmanager
    def held(self, name: str, seconds: float = 0.0) -> Iterator[None]:
        """Hold a lock inside the block, after at most so many `seconds`."""
        ends = monotonic() + seconds if seconds < inf else inf
        with closing(reached(self._url)) as connection:
            with translated(self._name):
                connection.execute(_ALIVE)
                while connection.execute("select pg_try_advisory_lock(%s)", (_key(name),)).fetchone() != (True,):
                    if monotonic() >= ends:
                        raise StoreBusy(f"Another machine holds the lock of {name} in the database.")
                    sleep(_BETWEEN_TRIES_SECONDS)
            try:
                yield
            finally:  # the server notices later that a connection was closed; without one, it has freed the lock
                with suppress(psycopg.Error):
                    connection.execute("select pg_advisory_unlock(%s)", (_key(name),))

    def is_held(self, name: str) -> bool:
        """Return whether some machine, which may be this one, holds a lock now."""
        with closing(reached(self._url)) as connection, translated(self._name):
            return connection.execute(_IS_HELD, (_key(name),)).fetchone() == (True,)
