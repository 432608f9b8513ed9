"""Connects to a PostgreSQL server, and checks once in each process that our databases can be there.

Nothing is written before this check. No message has a password.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from time import sleep
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from gateway.core.errors import (
    ConfigurationError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreUnwritable,
)
from gateway.core.waiting import Waiting, has_parent, server_seconds

_BETWEEN_TRIES_SECONDS: Final = 0.1
_LEAST_VERSION: Final = 15
_SCHEMAS: Final = ["store", "inbox", "discovery", "subscriptions", "users"]
# A machine that does not answer is noticed in half a minute.
_DEFAULTS: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
    "application_name": "gateway",
}
_FACTS: Final = """
select current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_is_in_recovery(),
  has_database_privilege(current_database(), 'create'), current_user,
  (select string_agg(nspname, ', ' order by nspname) from pg_namespace
    where nspname = any(%s) and not pg_has_role(nspowner, 'usage')),
  (select count(*) from pg_namespace where nspname = any(%s))"""
_URL: Final = (
    "The setting store is no address of a PostgreSQL database. In a password, write / as %2F, @ as %40, : as %3A and % "
    "as %25."
)
_AWAY: Final = re.compile("08|57P|53300")  # SQLSTATE: lost, shut down, too many connections


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn every error of psycopg inside the block into a StoreError; its message names the database."""
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise StoreBusy(f"{name} is being written by another process: {_message(error)}.") from error
    except (
        psycopg.errors.DiskFull,
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.ReadOnlySqlTransaction,
    ) as error:
        raise StoreUnwritable(f"{name} cannot be written: {_message(error)}.") from error
    except (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted, psycopg.IntegrityError) as error:
        raise StoreDamaged(f"{name} is damaged: {_message(error)}.") from error
    except psycopg.Error as error:
        if isinstance(error, psycopg.OperationalError) and (not error.sqlstate or _AWAY.match(error.sqlstate)):
            raise StoreBusy(f"{name} does not answer: {_message(error)}.") from error
        raise StoreError(f"{name}: {_message(error)}.") from error


def _message(error: psycopg.Error) -> str:
    """Return the sentence of an error, without the query; that of a connection never has a password."""
    return (error.diag.message_primary or str(error).partition("\n")[0]).rstrip(".")


@cache
def _parameters(url: str) -> Mapping[str, Any]:
    """Return the parameters of an address. Raise ConfigurationError, without any part of it, if it is wrong."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        raise ConfigurationError(_URL) from None
    place = f"{given.get('host', '')}{given.get('dbname', '')}"
    if "@" in place or not re.fullmatch("[0-9,]*", str(given.get("port", ""))):  # they have a part of a password
        raise ConfigurationError(_URL)
    return {**_DEFAULTS, **given, "client_encoding": "UTF8"}


@cache
def name_of(url: str) -> str:
    """Return what messages call a database."""
    given = _parameters(url)
    return f"The PostgreSQL database {given.get('dbname', '')} at {given.get('host') or 'this machine'}"


def connected(url: str) -> psycopg.Connection[Any]:
    """Return a new connection without transactions of its own. Raise the errors of psycopg."""
    return psycopg.connect(**_parameters(url), autocommit=True)


T = TypeVar("T")


class ServerWaiting(Waiting):
    """One wait for the lock of a schema, or for a server that does not answer."""

    reason: StoreBusy | None = None

    def _sentence(self) -> str:
        return f"{self.reason} Waiting."


def patiently(waiting: ServerWaiting, attempt: Callable[[], T]) -> T:
    """Return the result of an attempt, which is repeated while it raises StoreBusy and the wait goes on."""
    while True:
        try:
            return attempt()
        except StoreBusy as error:
            waiting.reason = error
            if not waiting.goes_on():
                raise
        sleep(_BETWEEN_TRIES_SECONDS)


def reached(url: str) -> psycopg.Connection[Any]:
    """Return a new connection; wait for a server that has answered this process before, or its parent.

    Raise StoreBusy if the server does not answer, at the first time at once.
    """
    waiting = ServerWaiting(Path(), server_seconds() if url in _answered or has_parent() else 0.0)
    connection = patiently(waiting, translated(name_of(url))(partial(connected, url)))
    _answered.add(url)
    return connection


@cache
def checked(url: str) -> str:
    """Return the address of a database that can be used.

    Raise ConfigurationError if ours cannot be there, and StoreBusy if the server does not answer.
    """
    name = name_of(url)
    with closing(reached(url)) as one, closing(reached(url)) as other, translated(name):
        for fault in _faults(one, other):
            raise ConfigurationError(f"{name} {fault}")
    return url


def _faults(one: psycopg.Connection[Any], other: psycopg.Connection[Any]) -> Iterator[str]:
    """Yield why our databases cannot be where two connections lead."""
    row = one.execute(_FACTS, (_SCHEMAS, _SCHEMAS)).fetchone()
    assert row is not None
    version, encoding, is_replica, can_create, role, foreign, present = row
    if version < _LEAST_VERSION:
        yield f"has version {version}; {_LEAST_VERSION} or newer is needed."
    if encoding != "UTF8":
        yield f"has the encoding {encoding}. Make one with `create database NAME encoding 'UTF8' template template0`."
    if is_replica:
        yield "is a replica, which cannot be written. Set `store` to the primary server."
    if foreign:
        yield f"has schemas that the role {role} does not own: {foreign}. Set `store` to the role that made them."
    if not can_create and present < len(_SCHEMAS):
        yield f"cannot have our schemas: the role {role} may not create any. Grant it `create` on the database."
    number = secrets.randbits(62)
    one.execute("select pg_try_advisory_lock(%s)", (number,))
    if other.execute("select pg_try_advisory_lock(%s)", (number,)).fetchone() == (True,):
        yield "is behind a pooler that gives one session to several clients. Set PgBouncer to `pool_mode = session`."


_answered: set[str] = set()  # addresses of servers that have answered this process
_present: set[tuple[str, str]] = set()  # no schema is ever removed


def schema_exists(url: str, schema: str) -> bool:
    """Return whether a database has one of our schemas. Raise StoreError."""
    if (url, schema) not in _present:
        with closing(reached(url)) as connection, translated(name_of(url)):
            query = "select to_regclass(%s) is not null"
            if connection.execute(query, (f"{schema}.migration",)).fetchone() == (True,):
                _present.add((url, schema))
    return (url, schema) in _present
