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


class FileHosts:
    """Checks which addresses of files may be requested, and pauses between requests. One for all threads.

    It remembers the hosts that get no further request in this run, with the reasons.
    """

    def __init__(
        self,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        obeys_robots: bool = True,
    ) -> None:
        self._sleep, self._monotonic, self._obeys_robots = sleep, monotonic, obeys_robots
        self._robots = RobotsCache(monotonic)
        self._pace = Pace()
        self._errors: dict[str, FetchError] = {}  # of the unavailable hosts, by the address of their robots.txt
        self._busy: Counter[str] = Counter()  # how often in a row each host asked to come later
        self._probes: dict[str, Lock] = {}
        self._lock = Lock()

    def check(self, url: str, fetch: Fetch) -> None:
        """Return when an address may be requested, after the pause of its host (Crawl-delay, in seconds).

        Raise RobotsDenied when robots.txt forbids the address. Raise TryLater or the error of `fetch` when the host is
        unavailable or its robots.txt cannot be fetched.
        """
        place = robots_url(url)
        if error := self._errors.get(place):
            raise type(error)(str(error))
        if not self._obeys_robots:
            return
        try:
            rules = self._robots.rules(url, _beginning(fetch))
        except FetchError as error:
            self._errors[place] = error
            raise
        delay = rules.delay(url)
        seconds = self._pace.turn(place, delay, self._monotonic()) if delay else 0.0
        if seconds > 0:
            self._sleep(seconds)

    def failed(self, url: str, error: FetchError, fetch: Fetch) -> None:
        """Note that an address sent no file, and why. After five in a row that ask to come later, its host is busy."""
        place = robots_url(url)
        if isinstance(error, NO_ANSWER):
            self._probe(place, _beginning(fetch))
        if isinstance(error, TryLater):
            with self._lock:
                self._busy[place] += 1
                if self._busy[place] >= _MOST_BUSY and not isinstance(self._errors.get(place), TryLater):
                    self._errors[place] = TryLater(f"This run sends no further request to its host. {error}")

    def _probe(self, place: str, fetch: Fetch) -> None:
        """Request robots.txt from a host that did not answer; it is unavailable when it fails again."""
        with self._lock:
            lock = self._probes.setdefault(place, Lock())
        with lock:
            if place in self._errors:
                return
            try:
                fetch(Request(place))
            except NO_ANSWER as error:
                self._errors[place] = error
            except FetchError:
                return  # the host has answered

    def answered(self, url: str) -> None:
        """Note that the host of an address has answered."""
        with self._lock:
            self._busy.pop(robots_url(url), None)


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
