"""A Fetch that brings nothing that is taken down: neither from such an address, nor such a file from any address."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from gateway.errors import AddressTakenDown
from gateway.takedowns import Takedowns
from harvester.wire.http import Fetch, Fetched, Request


class Obedient:
    """A Fetch over another one. An entry that is added to the list counts from the next request on."""

    def __init__(self, fetch: Fetch, takedowns: Callable[[], Takedowns]) -> None:
        """Take what fetches, and what returns the takedowns in force."""
        self._fetch, self._takedowns = fetch, takedowns

    def __call__(self, request: Request) -> Fetched:
        """Ask. Raise AddressTakenDown, or what fetching or reading the list raises."""
        if self._takedowns().names_address(request.url):
            raise AddressTakenDown(f"{request.url} is taken down here; nothing is fetched from there.")
        fetched = self._fetch(request)
        takedowns = self._takedowns()
        if takedowns.digests and takedowns.names_digest(sha256(fetched.body).hexdigest()):
            raise AddressTakenDown(f"The file at {request.url} is taken down here; it is not kept.")
        return fetched
