"""A Fetch that obeys takedowns: it requests no address and returns no file that is taken down."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from gateway.core.errors import AddressTakenDown
from gateway.core.takedowns import Takedowns
from harvester.http.messages import Fetch, Fetched, Request

Note = Callable[[str, str, str], None]


def forget(*_kept: object) -> None:
    """Do nothing."""


class TakedownFilter:
    """A Fetch over another one. An entry that is added to the list counts at once, for answers too."""

    def __init__(self, fetch: Fetch, takedowns: Callable[[], Takedowns], note: Note = forget) -> None:
        """Take a Fetch, and a function that returns the takedowns in force.

        `note` is called with the source of a request, its address and the SHA-256 of bytes that are taken down.
        """
        self._fetch, self._takedowns, self._note = fetch, takedowns, note

    def __call__(self, request: Request) -> Fetched:
        """Return the answer. Raise AddressTakenDown, and the errors of `fetch` and of the list."""

        def permits(url: str) -> None:
            """Check again before the request is sent: it may have waited long for its host."""
            request.permits(url)
            self._check(url)

        self._check(request.url)
        fetched = self._fetch(replace(request, permits=permits))
        takedowns = self._takedowns()
        if takedowns.names_address(request.url):
            raise AddressTakenDown(f"{request.url} was taken down meanwhile, so its answer is not stored.")
        if takedowns.digests and takedowns.names_digest(digest := sha256(fetched.body).hexdigest()):
            self._note(request.source, request.url, digest)
            raise AddressTakenDown(f"The file at {request.url} is taken down, so it is not stored.")
        return fetched

    def _check(self, url: str) -> None:
        if self._takedowns().names_address(url):
            raise AddressTakenDown(f"{url} is taken down, so it is not requested.")
