"""robots.txt, for the files of a provider with whom nothing is agreed (RFC 9309). Its lists are not asked about.

What is not there allows everything; what cannot be had now allows nothing until it can. A Crawl-delay is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

from gateway.errors import TryLater
from harvester.web import Pace
from harvester.wire.http import Fetch, Request

NAME = "oai-gateway"  # as robots.txt files call us; the beginning of our User-Agent
_LONGEST_DELAY = 60.0  # seconds; whoever asks for more is left to another day
_CLIENT_ERROR, _SERVER_ERROR = 400, 500


class Robots:
    """Knows what each host allows; one for all threads of a run. robots.txt is asked for once."""

    def __init__(self, sleep: Callable[[float], None], monotonic: Callable[[], float]) -> None:
        """Take how to pause, and a clock that tells seconds."""
        self._sleep, self._monotonic = sleep, monotonic
        self._hosts: dict[str, Protego | TryLater | None] = {}
        self._pace = Pace()
        self._lock = Lock()
        self._asking: dict[str, Lock] = {}

    def refusal(self, url: str, fetch: Fetch) -> str:
        """Return why an address may not be asked for; empty when it may, after the pause that its host asks for.

        Raise TryLater when the host cannot say so now, and what `fetch` raises.
        """
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            asking = self._asking.setdefault(place, Lock())
        with asking:
            if place not in self._hosts:
                self._hosts[place] = _rules(place, fetch)
        rules = self._hosts[place]
        if isinstance(rules, TryLater):
            raise TryLater(str(rules))
        if rules is None:
            return ""
        if not rules.can_fetch(url, NAME):
            return f"{place}/robots.txt asks us to stay away from it."
        self._wait(place, float(rules.crawl_delay(NAME) or 0.0))
        return ""

    def _wait(self, place: str, delay: float) -> None:
        if delay > _LONGEST_DELAY:
            raise TryLater(f"{place}/robots.txt asks for {delay:g} seconds between requests.")
        seconds = self._pace.turn(place, delay, self._monotonic()) if delay else 0.0
        if seconds > 0:
            self._sleep(seconds)


def _rules(place: str, fetch: Fetch) -> Protego | TryLater | None:
    fetched = fetch(Request(f"{place}/robots.txt", headers=(("Accept", "text/plain, */*;q=0.5"),)))
    if fetched.status >= _SERVER_ERROR:
        return TryLater(f"{place}/robots.txt answers with HTTP status {fetched.status}; nothing is asked there now.")
    if fetched.status >= _CLIENT_ERROR:
        return None
    return Protego.parse(fetched.body.decode("utf-8", "replace"))
