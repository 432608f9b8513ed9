"""Connections that are lent, to one reader or writer at a time: what every connector does in the same way."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from gateway.store.connector import Parameters, Session


class Lent(Session, Protocol):
    """A connection that can be lent again."""

    connection: Any


T = TypeVar("T", bound=Lent)


class Lender(ABC, Generic[T]):
    """The idle connections of a connector. Safe for threads, and for processes that fork."""

    path: Path

    def __init__(self) -> None:
        self.is_unsynced = False
        self._lock = Lock()
        self._is_closed = False
        self._process = os.getpid()
        self._readers: list[T] = []
        self._writers: list[T] = []
        self._abandoned: list[T] = []

    @abstractmethod
    def translated(self) -> AbstractContextManager[None]:
        """Turn every error of the driver inside the block into a StoreError."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """Lend a connection for reading."""

    @abstractmethod
    def writing(self, at_most_seconds: float = inf, *, is_durable: bool = True) -> AbstractContextManager[Session]:
        """Lend a connection inside a write transaction."""

    def rows(self, query: str, parameters: Parameters = ()) -> list[Any]:
        """Return all rows of one query."""
        with self.reading() as session:
            return session.execute(query, parameters).fetchall()

    def one(self, query: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row of one query, or None."""
        with self.reading() as session:
            return session.one(query, parameters)

    def change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one query in a transaction of its own; return how many rows it has changed."""
        with self.writing() as session:
            return session.execute(query, parameters).rowcount

    @contextmanager
    def unsynced(self) -> Iterator[None]:
        """Let no transaction inside the block wait for the disk; `Store.unsynced` has the promise."""
        self.is_unsynced = True
        try:
            yield
        finally:
            self.is_unsynced = False

    @contextmanager
    def _lent(self, idle: list[T], connect: Callable[[], T]) -> Iterator[T]:
        self._forget_parent()
        with self._lock:
            session = idle.pop() if idle else None
        session = session or connect()
        try:
            yield session
        finally:
            session.rollback()
            with self._lock:
                idle.append(session)
            if self._is_closed:
                self.close()

    def _forget_parent(self) -> None:
        # A connection must not be used, nor even closed, in a forked process.
        if self._process != os.getpid():
            self._process, self._lock = os.getpid(), Lock()
            self._abandoned += self._readers + self._writers
            self._readers.clear()
            self._writers.clear()

    def close(self) -> None:
        """Close all connections; one that is lent is closed when it is returned. Raise StoreError."""
        self._is_closed = True
        self._forget_parent()
        with self._lock, self.translated():
            for session in self._readers + self._writers:
                session.connection.close()
            self._readers.clear()
            self._writers.clear()
