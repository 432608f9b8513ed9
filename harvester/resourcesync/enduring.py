"""What does not come: a resource, package or list is set aside, and the rest goes on while the source as such is well.

A source that always answers 503 for one resource must not end every run before the rest is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from gateway.errors import AnswerTooSlow, ConnectionFailed, FetchError, TryLater
from harvester.resourcesync.asking import told
from harvester.sources import Options
from harvester.wire.http import Fetch, Request

# What may be wrong with one address, or with the whole server.
FAILURES = (AnswerTooSlow, ConnectionFailed, TryLater)

_SUSPICIOUS = 3  # failures in a row: then the source is asked for something that it has answered before
_HOPELESS = 200  # failures in a row, though the source answers that
_WAITS_SECONDS = 120.0  # for one resource, where the source asks to wait


class Endurance:
    """Counts the failures in a row of one set of resources, and says how patiently the next address is asked."""

    def __init__(self, options: Options, fetch: Fetch, known: str) -> None:
        """Take the address of a document of the source that has been answered in this run."""
        self._options, self._fetch, self._known = options, fetch, known
        self._failures = 0

    def patient(self, request: Request) -> Request:
        """Return a request with the patience that is left: little, and none behind several failures in a row."""
        is_hasty = self._failures >= _SUSPICIOUS
        return replace(request, waits_seconds=0.0 if is_hasty else _WAITS_SECONDS, patience=0 if is_hasty else None)

    def succeeded(self) -> None:
        """Note that something came."""
        self._failures = 0

    def failed(self, error: FetchError) -> None:
        """Note that something did not come. Raise the error when the source as such is not well."""
        self._failures += 1
        if self._failures == _SUSPICIOUS:
            self._ask_whether_it_is_well()
        elif self._failures == _HOPELESS:
            raise type(error)(f"{error} Nothing came of the last {_HOPELESS} addresses that were asked for.") from error

    def _ask_whether_it_is_well(self) -> None:
        answer = self._fetch(Request(self._known, self._options.source))
        if answer.status != HTTPStatus.OK:
            raise ConnectionFailed(f"{told(answer)}. So did those before it; the server is ill.")
