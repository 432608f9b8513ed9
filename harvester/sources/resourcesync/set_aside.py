"""Failures of single resources, packages or lists: they are skipped while the source as a whole is available.

A source that always answers 503 for one resource must not end every run before the rest is requested.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from gateway.core.errors import AnswerTooSlow, ConnectionFailed, FetchError, TryLater
from harvester.http.messages import Fetch, Request
from harvester.sources import Options
from harvester.sources.resourcesync.request import status_clause

# Errors of one URL or of the whole server.
FAILURES = (AnswerTooSlow, ConnectionFailed, TryLater)

_SUSPICIOUS = 3  # consecutive failures: then a URL is requested that has worked before
_HOPELESS = 200  # consecutive failures, although that URL works
_WAITS_SECONDS = 120.0  # the longest wait for one resource


class Endurance:
    """The count of consecutive failures in one set of resources, which limits the patience of the next request."""

    def __init__(self, options: Options, fetch: Fetch, known: str) -> None:
        self._options, self._fetch, self._known = options, fetch, known
        self._failures = 0

    def patient(self, request: Request) -> Request:
        """Return a request with limited patience: at most 120 seconds, and none after three consecutive failures."""
        is_hasty = self._failures >= _SUSPICIOUS
        return replace(request, waits_seconds=0.0 if is_hasty else _WAITS_SECONDS, patience=0 if is_hasty else None)

    def succeeded(self) -> None:
        """Reset the count."""
        self._failures = 0

    def failed(self, error: FetchError) -> None:
        """Count a failure. Raise the error when the source as a whole is failing, or after 200 consecutive failures.

        The third failure in a row requests a known document. Raise ConnectionFailed when that fails, too.
        """
        self._failures += 1
        if self._failures == _SUSPICIOUS:
            self._ask_whether_it_is_well()
        elif self._failures == _HOPELESS:
            raise type(error)(f"{error} The last {_HOPELESS} requests failed.") from error

    def _ask_whether_it_is_well(self) -> None:
        answer = self._fetch(Request(self._known, self._options.source))
        if answer.status != HTTPStatus.OK:
            raise ConnectionFailed(f"{status_clause(answer)}, like the requests before it; the server is failing.")
