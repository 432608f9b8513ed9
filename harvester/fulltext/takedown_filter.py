"""A Fetch that obeys takedowns: it requests no address and returns no file that is taken down."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from gateway.errors import AddressTakenDown
from gateway.takedowns import Takedowns
from harvester.http.messages import Fetch, Fetched, Request


class TakedownFilter:
    """A Fetch over another one. An entry that is added to the list counts from the next request on."""

    def __init__(self, fetch: Fetch, takedowns: Callable[[], Takedowns]) -> None:
        """Take a Fetch, and a function that returns the takedowns in force."""
        self._fetch, self._takedowns = fetch, takedowns

    def __call__(self, request: Request) -> Fetched:
        """Return the answer. Raise AddressTakenDown, and the errors of `fetch` and of the list."""
        if self._takedowns().names_address(request.url):
            raise AddressTakenDown(f"{request.url} is taken down, so it is not requested.")
        fetched = self._fetch(request)
        takedowns = self._takedowns()
        if takedowns.digests and takedowns.names_digest(sha256(fetched.body).hexdigest()):
            raise AddressTakenDown(f"The file at {request.url} is taken down, so it is not stored.")
        return fetched
