"""The rules of each authority's robots.txt, never older than a day (RFC 9309 §2.4). The search and the mirror use it.

`fetch` may have a cache, so that several processes share an answer. The time that it was stored there counts, too.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from gateway.core.errors import AddressRefused, FetchError
from harvester.http.messages import Fetch, Request
from harvester.http.robots_txt import Rules, robots_url, rules_of

_HOLD_SECONDS = 86_400


class _Entry(NamedTuple):
    """The rules of one authority, or the error that came instead of them."""

    fetched_at: float  # from the server, by the clock of the cache, in seconds
    rules: Rules | FetchError


class RobotsCache:
    """Fetches the robots.txt of each authority again when it is a day old. Share one among all threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def rules(self, url: str, fetch: Fetch) -> Rules:
        """Return the rules for the authority of a URL; call `fetch` when none are stored, or they are older than a day.

        Raise the FetchError of `fetch`, or TryLater after a status of 500 or more. The error is stored like rules,
        except AddressRefused.
        """
        place = robots_url(url)
        with self._lock:
            lock = self._locks.setdefault(place, Lock())
        with lock:  # only one thread fetches; the others wait for its answer
            entry = self._entries.get(place)
            if entry is None or self._clock() - entry.fetched_at > _HOLD_SECONDS:
                entry = self._entries[place] = _fetched(place, fetch, self._clock())
        if isinstance(entry.rules, FetchError):
            raise type(entry.rules)(str(entry.rules))
        return entry.rules


def _fetched(place: str, fetch: Fetch, now: float) -> _Entry:
    try:
        answer = fetch(Request(place))
        return _Entry(now - answer.age_seconds, rules_of(place, answer.status, answer.body))
    except AddressRefused:
        raise  # another source may be allowed to go there
    except FetchError as error:
        return _Entry(now, error)
