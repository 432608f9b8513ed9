"""Sessions with hosts, each lent to one request at a time. The 64 used last stay open between requests.

A search for full text asks thousands of hosts, most of them once. Without a limit it would keep a connection to each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

import requests
from requests.cookies import RequestsCookieJar

from gateway.core.errors import ConnectionFailed
from harvester.http.connections import GuardedAdapter

MOST_IDLE = 64
_MOST_JARS = 256  # a search has far fewer works under way


@dataclass(slots=True, eq=False)
class Channel:
    """A session with one host, its certificates and connections. Its cookies belong to the source `speaks_for`."""

    session: requests.Session
    adapter: GuardedAdapter
    place: Hashable = None
    speaks_for: str = ""


class Channels:
    """All sessions of one `Web`. Safe for threads."""

    def __init__(self) -> None:
        """Begin without sessions."""
        self._idle: list[Channel] = []  # what was used last is at the end
        self._lent: set[Channel] = set()
        self._jars: dict[str, RequestsCookieJar] = {}  # what was used last is at the end
        self._lock = Lock()
        self._is_broken_off = False

    @contextmanager
    def lent(self, place: Hashable, speaks_for: str, opened: Callable[[], Channel]) -> Iterator[Channel]:
        """Lend a session for a place to one request; open one when none is idle.

        It gets the cookies of the source `speaks_for`. Raise ConnectionFailed after `break_off`.
        """
        channel = self._taken(place, opened)
        try:
            if channel.speaks_for != speaks_for:
                channel.session.cookies = self._jar(speaks_for)
                channel.speaks_for = speaks_for
            yield channel
        finally:
            self._returned(channel)

    def _taken(self, place: Hashable, opened: Callable[[], Channel]) -> Channel:
        with self._lock:
            if self._is_broken_off:
                raise ConnectionFailed("All requests were cancelled.")
            channel = next((channel_ for channel_ in reversed(self._idle) if channel_.place == place), None)
            if channel is None:
                channel = opened()
                channel.place = place
            else:
                self._idle.remove(channel)
            self._lent.add(channel)
            return channel

    def _jar(self, speaks_for: str) -> RequestsCookieJar:
        with self._lock:
            jar = self._jars.pop(speaks_for, None)
            self._jars[speaks_for] = jar = RequestsCookieJar() if jar is None else jar
            if len(self._jars) > _MOST_JARS:
                del self._jars[next(iter(self._jars))]
            return jar

    def _returned(self, channel: Channel) -> None:
        with self._lock:
            if channel in self._lent:  # else `close` was called meanwhile
                self._lent.remove(channel)
                self._idle.append(channel)
            surplus, self._idle = self._idle[:-MOST_IDLE], self._idle[-MOST_IDLE:]
        for channel_ in surplus:
            channel_.session.close()

    def break_off(self) -> None:
        """Cancel every running request, from another thread, and allow no new one."""
        with self._lock:
            self._is_broken_off = True
            channels = list(self._lent)
        for channel in channels:
            channel.adapter.break_off()

    def close(self) -> None:
        """Close every session."""
        with self._lock:
            channels = [*self._idle, *self._lent]
            self._idle, self._lent = [], set()
        for channel in channels:
            channel.session.close()
