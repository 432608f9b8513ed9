"""A Fetch that asks for some addresses at other places: mirrors that an institution has of a service, or of a site.

The administrator named them, so they may be private. Nobody above sees another address than the one that was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from gateway.errors import ConfigurationError
from harvester.web import Access
from harvester.wire.http import Fetch, Fetched, Request


def places_of(text: str) -> dict[str, str]:
    """Return the places of the setting, by the beginnings of the addresses that are asked for there.

    Raise ConfigurationError for what is not `address=address`.
    """
    pairs = [each.partition("=") for each in text.split()]
    for begin, _, instead in pairs:
        if not begin.startswith(("http://", "https://")) or not urlsplit(instead).hostname:
            raise ConfigurationError(
                f"discover_instead is made of address=address, with spaces between, not {begin!r}."
            )
    return {begin: instead for begin, _, instead in pairs}


def access_of(places: Mapping[str, str]) -> dict[str, Access]:
    """Return how these places may be reached: each at its own host and port, public or private, and no other."""
    return {instead: Access(instead) for instead in places.values()}


class Elsewhere:
    """A Fetch over another one."""

    def __init__(self, fetch: Fetch, places: Mapping[str, str]) -> None:
        """Take what fetches, and the places by the beginnings of addresses."""
        self._fetch, self._places = fetch, places

    def __call__(self, request: Request) -> Fetched:
        """Ask at the place, where there is one."""
        for begin, instead in self._places.items():
            if request.url.startswith(begin):
                url = instead + request.url.removeprefix(begin)
                return replace(self._fetch(replace(request, url=url, source=instead)), url=request.url)
        return self._fetch(request)
