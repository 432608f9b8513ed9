"""robots.txt (RFC 9309): its URL, its verdict on an address, and the pause between requests.

`RobotsCache` has the rules of each authority, never older than a day (§2.4), for the search and the mirror. Its `fetch`
may have a cache, too, so that several processes share an answer; the time that it was stored there counts.
"""

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

from protego import Protego

from gateway.core.errors import AddressRefused, FetchError, RobotsDenied, TryLater
from harvester.http.messages import Fetch, Request
from harvester.http.urls import split

NAME: Final = "oai-gateway"  # the product token in robots.txt; our User-Agent begins with it
MOST_BYTES: Final = 512_000  # the part of a robots.txt that is read (§2.5)
_LONGEST_DELAY = 60.0  # seconds of a Crawl-delay; a longer one raises TryLater
_CLIENT_ERROR, _SERVER_ERROR = 400, 500
_HOLD_SECONDS = 86_400


class Rules:
    """The rules of one robots.txt. Without a robots.txt everything is allowed."""

    def __init__(self, place: str, content: bytes | None = None) -> None:
        self._place = place
        self._rules = None if content is None else Protego.parse(content[:MOST_BYTES].decode("utf-8", "replace"))

    @property
    def verdict(self) -> str:
        """Return `no robots.txt` or `allowed`; `allowed` holds for each address for which `delay` raises no error."""
        return "no robots.txt" if self._rules is None else "allowed"

    def delay(self, url: str) -> float:
        """Return the pause between two requests, in seconds (Crawl-delay).

        Raise RobotsDenied when the address may not be asked for, and TryLater when the pause is longer than 60 seconds.
        """
        if self._rules is None:
            return 0.0
        if split(url).netloc and not self._rules.can_fetch(url, NAME):  # a URL without a host is never requested
            raise RobotsDenied(f"{self._place} forbids requests to {url[:300]}.")
        delay = float(self._rules.crawl_delay(NAME) or 0.0)
        if delay > _LONGEST_DELAY:
            limit = f"our limit is {_LONGEST_DELAY:g}"
            raise TryLater(f"{self._place} asks for {delay:g} seconds between requests; {limit}.")
        return delay if delay > 0 else 0.0  # NaN is no number of seconds


def robots_url(url: str) -> str:
    """Return the URL of the robots.txt for the authority of an address (§2.3)."""
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def rules_of(place: str, status: int, content: bytes) -> Rules:
    """Return the rules in the answer from a `robots_url`. A status of 400 to 499 allows everything (§2.3.1.3).

    Raise TryLater for a status of 500 or more: then no request is allowed there (§2.3.1.4).
    """
    if status >= _SERVER_ERROR:
        raise TryLater(f"{place} answers with HTTP status {status}, so no request is sent there now.")
    return Rules(place, None if status >= _CLIENT_ERROR else content)


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
