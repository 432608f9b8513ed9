"""robots.txt, for the files of a provider with whom nothing is agreed (RFC 9309). Its lists are not asked about.

What is not there allows everything; what cannot be had allows nothing for the rest of the run, so that a host that does
not answer is waited for once, and not once for each of its files. A Crawl-delay is kept. Where it is not obeyed, it is
asked for only when a file does not come, to learn whether the host answers at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock

from gateway.errors import AnswerTooLarge, AnswerTooSlow, ConnectionFailed, FetchError, TryLater
from harvester.web import Pace
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.robots import MOST_BYTES, Rules, robots_url, rules_of

SILENCES = (ConnectionFailed, AnswerTooSlow)  # how a host is that does not answer
_MOST_BUSY = 5  # files of a host: one or two may be so for ever
_HEADERS = (("Accept", "text/plain, */*;q=0.5"),)


class Robots:
    """Knows what each host allows, and which do not answer; one for all threads of a run."""

    def __init__(self, sleep: Callable[[float], None], monotonic: Callable[[], float], *, obeys: bool = True) -> None:
        """Take how to pause, a clock that tells seconds, and whether what is said there is obeyed."""
        self._sleep, self._monotonic, self._obeys = sleep, monotonic, obeys
        self._said: dict[str, Rules | FetchError] = {}
        self._pace = Pace()
        self._lock = Lock()
        self._asking: dict[str, Lock] = {}
        self._busy: Counter[str] = Counter()  # how often in a row each host asked to come later

    def check(self, url: str, fetch: Fetch) -> None:
        """Return when an address may be asked for, after the pause that its host asks for.

        Raise RobotsDenied when it may not, and TryLater, or what `fetch` raised, when the host does not say so now.
        """
        place = robots_url(url)
        with self._turn(place):
            if self._obeys and place not in self._said:
                self._said[place] = _asked(place, fetch)
        rules = self._said.get(place)
        if isinstance(rules, FetchError):
            raise type(rules)(str(rules))
        if rules is None:
            return
        delay = rules.delay(url)
        seconds = self._pace.turn(place, delay, self._monotonic()) if delay else 0.0
        if seconds > 0:
            self._sleep(seconds)

    def failed(self, url: str, fetch: Fetch) -> None:
        """Ask a host that brought no file whether it answers at all; else it is left alone for the rest of the run."""
        place = robots_url(url)
        with self._turn(place):
            if not isinstance(self._said.get(place), FetchError):
                said = _asked(place, fetch)
                if isinstance(said, SILENCES):
                    self._said[place] = said

    def busy(self, url: str, error: TryLater) -> None:
        """Leave a host alone for the rest of the run that asks to come later for one file after the other."""
        place = robots_url(url)
        with self._lock:
            self._busy[place] += 1
            if self._busy[place] >= _MOST_BUSY and not isinstance(self._said.get(place), TryLater):
                self._said[place] = TryLater(f"Its host is left alone for the rest of this run. {error}")

    def heard(self, url: str) -> None:
        """Take note that a host has answered."""
        with self._lock:
            self._busy.pop(robots_url(url), None)

    def _turn(self, place: str) -> Lock:
        """Return what lets one thread at a time ask at a place."""
        with self._lock:
            return self._asking.setdefault(place, Lock())


def _asked(place: str, fetch: Fetch) -> Rules | FetchError:
    text = _Text()
    try:
        return rules_of(place, _status(place, fetch, text), text.content)
    except FetchError as error:
        return error


def _status(place: str, fetch: Fetch, text: _Text) -> int:
    try:
        return fetch(Request(place, headers=_HEADERS, sink=text)).status
    except FetchError:
        if text.is_enough:
            return HTTPStatus.OK
        raise


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
