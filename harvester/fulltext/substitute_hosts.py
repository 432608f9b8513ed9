"""A Fetch that replaces some addresses: an institution uses its own mirrors of a service or a site.

The administrator names them, so they may be private. The answer has the original address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from gateway.errors import ConfigurationError
from harvester.http.access import Access
from harvester.http.messages import Fetch, Fetched, Request


def places_of(text: str) -> dict[str, str]:
    """Return the substitutes in the setting `discover_instead`, by the beginnings of the addresses that they replace.

    Raise ConfigurationError for an entry that is not `address=address`.
    """
    pairs = [part.partition("=") for part in text.split()]
    for begin, _, instead in pairs:
        if not begin.startswith(("http://", "https://")) or not urlsplit(instead).hostname:
            raise ConfigurationError(
                f"discover_instead has the entry {begin!r}. Write address=address, with spaces between entries."
            )
    return {begin: instead for begin, _, instead in pairs}


def access_of(places: Mapping[str, str]) -> dict[str, Access]:
    """Return the access rule of each substitute: its own host and port, public or private, and no other."""
    return {instead: Access(instead) for instead in places.values()}


class SubstituteHosts:
    """A Fetch over another one."""

    def __init__(self, fetch: Fetch, places: Mapping[str, str]) -> None:
        """Take a Fetch, and the substitutes by the beginnings of the addresses that they replace."""
        self._fetch, self._places = fetch, places

    def __call__(self, request: Request) -> Fetched:
        """Return the answer, from the substitute if there is one. Raise the errors of the other Fetch."""
        for begin, instead in self._places.items():
            if request.url.startswith(begin):
                url = instead + request.url.removeprefix(begin)
                return replace(self._fetch(replace(request, url=url, source=instead)), url=request.url)
        return self._fetch(request)
