"""robots.txt: where it is, and what it says of an address and of the pauses between requests (RFC 9309). Pure."""

from __future__ import annotations

from typing import Final

from protego import Protego

from gateway.errors import RobotsDenied, TryLater
from harvester.wire.urls import split

NAME: Final = "oai-gateway"  # as robots.txt files call us; the beginning of our User-Agent
MOST_BYTES: Final = 512_000  # what is read of a robots.txt (§2.5)
_LONGEST_DELAY = 60.0  # seconds of a Crawl-delay; whoever asks for more is left to another day
_CLIENT_ERROR, _SERVER_ERROR = 400, 500


class Rules:
    """What one robots.txt says. Without a text it allows everything."""

    def __init__(self, place: str, content: bytes | None = None) -> None:
        """Take the URL of the robots.txt, and what it holds; None where there is none."""
        self._place = place
        self._said = None if content is None else Protego.parse(content[:MOST_BYTES].decode("utf-8", "replace"))

    @property
    def are_given(self) -> bool:
        """Tell whether there is a robots.txt at all."""
        return self._said is not None

    def delay(self, url: str) -> float:
        """Return the seconds that are to lie between two requests (Crawl-delay).

        Raise RobotsDenied when the address may not be asked for, and TryLater when they are more than a minute.
        """
        if self._said is None:
            return 0.0
        if split(url).netloc and not self._said.can_fetch(url, NAME):  # what is no address nobody can ask for
            raise RobotsDenied(f"{self._place} asks us to stay away from {url[:300]}.")
        delay = float(self._said.crawl_delay(NAME) or 0.0)
        if delay > _LONGEST_DELAY:
            raise TryLater(f"{self._place} asks for {delay:g} seconds between requests.")
        return delay if delay > 0 else 0.0  # NaN is no number of seconds


def robots_url(url: str) -> str:
    """Return the URL of the robots.txt that speaks for an address (§2.3)."""
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def rules_of(place: str, status: int, content: bytes) -> Rules:
    """Return the rules that the answer from a `robots_url` gives: what is not there allows everything (§2.3.1.3).

    Raise TryLater when the server is in trouble: nothing may be asked there then (§2.3.1.4).
    """
    if status >= _SERVER_ERROR:
        raise TryLater(f"{place} answers with HTTP status {status}; nothing is asked there now.")
    return Rules(place, None if status >= _CLIENT_ERROR else content)
