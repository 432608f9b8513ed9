"""Decide which hosts may be asked for files: robots.txt (RFC 9309) with Crawl-delay, and unavailable hosts.

A run waits for a host that does not answer only once, not once for each file. When robots.txt is not obeyed, it is
fetched only after a failure, to see whether the host answers. The lists of a provider are always harvested.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from threading import Lock

from gateway.core.errors import AnswerTooLarge, AnswerTooSlow, ConnectionFailed, FetchError, TryLater
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.retrying import Pace
from harvester.http.robots_txt import MOST_BYTES, RobotsCache, robots_url

NO_ANSWER = (ConnectionFailed, AnswerTooSlow)
_MOST_BUSY = 5  # files in a row; one or two files may be unavailable for ever
_HEADERS = (("Accept", "text/plain, */*;q=0.5"),)


class UnavailableHosts:
    """The hosts that get no further request in this run, with the reasons: a circuit breaker for each host."""

    def __init__(self) -> None:
        self._errors: dict[str, FetchError] = {}
        self._busy: Counter[str] = Counter()  # how often in a row each host asked to come later
        self._probes: dict[str, Lock] = {}
        self._lock = Lock()

    def check(self, url: str) -> None:
        """Raise the FetchError that made the host of a URL unavailable, if it is."""
        if error := self._errors.get(robots_url(url)):
            raise type(error)(str(error))

    def add(self, url: str, error: FetchError) -> None:
        """Mark the host of a URL as unavailable."""
        self._errors[robots_url(url)] = error

    def probe(self, url: str, fetch: Fetch) -> None:
        """Request robots.txt from a host that did not answer; mark it as unavailable when it fails again."""
        place = robots_url(url)
        with self._lock:
            lock = self._probes.setdefault(place, Lock())
        with lock:
            if place in self._errors:
                return
            try:
                fetch(Request(place))
            except NO_ANSWER as error:
                self.add(url, error)
            except FetchError:
                return  # the host has answered

    def busy(self, url: str, error: TryLater) -> None:
        """Count a file for which the host asked to retry later; after five in a row the host is unavailable."""
        place = robots_url(url)
        with self._lock:
            self._busy[place] += 1
            if self._busy[place] >= _MOST_BUSY and not isinstance(self._errors.get(place), TryLater):
                self.add(url, TryLater(f"This run sends no further request to its host. {error}"))

    def answered(self, url: str) -> None:
        """Note that a host has answered."""
        with self._lock:
            self._busy.pop(robots_url(url), None)


class FileHosts:
    """Checks which addresses of files may be requested, and pauses between requests. One for all threads."""

    def __init__(
        self,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        obeys_robots: bool = True,
    ) -> None:
        self._sleep, self._monotonic, self._obeys_robots = sleep, monotonic, obeys_robots
        self._robots = RobotsCache(monotonic)
        self._unavailable = UnavailableHosts()
        self._pace = Pace()

    def check(self, url: str, fetch: Fetch) -> None:
        """Return when an address may be requested, after the pause of its host (Crawl-delay, in seconds).

        Raise RobotsDenied when robots.txt forbids the address. Raise TryLater or the error of `fetch` when the host is
        unavailable or its robots.txt cannot be fetched.
        """
        self._unavailable.check(url)
        if not self._obeys_robots:
            return
        try:
            rules = self._robots.rules(url, _beginning(fetch))
        except FetchError as error:
            self._unavailable.add(url, error)
            raise
        delay = rules.delay(url)
        seconds = self._pace.turn(robots_url(url), delay, self._monotonic()) if delay else 0.0
        if seconds > 0:
            self._sleep(seconds)

    def failed(self, url: str, error: FetchError, fetch: Fetch) -> None:
        """Note that an address sent no file, and why."""
        if isinstance(error, NO_ANSWER):
            self._unavailable.probe(url, _beginning(fetch))
        if isinstance(error, TryLater):
            self._unavailable.busy(url, error)

    def answered(self, url: str) -> None:
        """Note that the host of an address has answered."""
        self._unavailable.answered(url)


def _beginning(fetch: Fetch) -> Fetch:
    """Return a Fetch for robots.txt whose answers hold only as many bytes as must be read (RFC 9309 §2.5)."""

    def fetch_beginning(request: Request) -> Fetched:
        text = _Text()
        try:
            answer = fetch(replace(request, headers=_HEADERS, sink=text))
        except FetchError:
            if not text.is_enough:
                raise
            return Fetched(request.url, HTTPStatus.OK, (), text.content, 0)
        return replace(answer, body=text.content)

    return fetch_beginning


class _Text:
    """A `Sink` for a robots.txt, which breaks off when it has as much as must be read."""

    def __init__(self) -> None:
        self.content = b""

    @property
    def is_enough(self) -> bool:
        return len(self.content) >= MOST_BYTES

    def headers(self) -> tuple[tuple[str, str], ...]:
        return ()

    def begin(self, answer: Fetched) -> bool:
        self.content = b""
        return answer.status == HTTPStatus.OK

    def write(self, part: bytes) -> None:
        self.content += part
        if self.is_enough:
            raise AnswerTooLarge("This is as much as is read of a robots.txt.")
