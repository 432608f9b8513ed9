"""Sessions with hosts, each lent to one request at a time. They stay open between requests, but only so many of them.

A search for full text asks thousands of hosts, most of them once: without a limit it would hold a connection to each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

import requests
from requests.cookies import RequestsCookieJar

from gateway.errors import ConnectionFailed
from harvester.web.connections import GuardedAdapter

MOST_IDLE = 64
_MOST_JARS = 256  # a search has far fewer works under way


@dataclass(slots=True, eq=False)
class Channel:
    """A session with one host. Certificates and connections stay within it; its cookies are whose it speaks for."""

    session: requests.Session
    adapter: GuardedAdapter
    place: Hashable = None
    speaks_for: str = ""


class Channels:
    """All sessions of one `Web`. Safe for threads."""

    def __init__(self) -> None:
        """Begin without any."""
        self._idle: list[Channel] = []  # what was used last is at the end
        self._lent: set[Channel] = set()
        self._jars: dict[str, RequestsCookieJar] = {}  # what was used last is at the end
        self._lock = Lock()
        self._is_broken_off = False

    @contextmanager
    def lent(self, place: Hashable, speaks_for: str, opened: Callable[[], Channel]) -> Iterator[Channel]:
        """Lend a session with a place to one request; where none is idle it is opened.

        When it speaks for another one it takes that one's cookies along, from whichever host they are. Raise
        ConnectionFailed when everything was broken off.
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
                raise ConnectionFailed("All requests were broken off.")
            channel = next((each for each in reversed(self._idle) if each.place == place), None)
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
            if channel in self._lent:  # else everything was closed meanwhile
                self._lent.remove(channel)
                self._idle.append(channel)
            surplus, self._idle = self._idle[:-MOST_IDLE], self._idle[-MOST_IDLE:]
        for each in surplus:
            each.session.close()

    def break_off(self) -> None:
        """End every request that is under way, from another thread, and let none begin."""
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
