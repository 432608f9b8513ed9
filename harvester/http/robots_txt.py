"""robots.txt (RFC 9309): its URL, its verdict on an address, and the pause between requests. Pure."""

from __future__ import annotations

from typing import Final

from protego import Protego

from gateway.core.errors import RobotsDenied, TryLater
from harvester.http.urls import split

NAME: Final = "oai-gateway"  # the product token in robots.txt; our User-Agent begins with it
MOST_BYTES: Final = 512_000  # the part of a robots.txt that is read (§2.5)
_LONGEST_DELAY = 60.0  # seconds of a Crawl-delay; a longer one raises TryLater
_CLIENT_ERROR, _SERVER_ERROR = 400, 500


class Rules:
    """The rules of one robots.txt. Without a robots.txt everything is allowed."""

    def __init__(self, place: str, content: bytes | None = None) -> None:
        """Take the URL of the robots.txt, and its bytes; None where there is none."""
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
