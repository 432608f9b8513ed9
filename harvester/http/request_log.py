"""A log line for each request, for `--verbose`: the request and its outcome, without secrets."""

from __future__ import annotations

import logging
from time import monotonic

from gateway.core.errors import GatewayError
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.origins import shown

log = logging.getLogger("harvester")


def logged(fetch: Fetch) -> Fetch:
    """Return a Fetch that logs one line per request at level DEBUG, and raises the errors of `fetch`."""

    def asked(request: Request) -> Fetched:
        began = monotonic()
        try:
            fetched = fetch(request)
        except GatewayError as error:
            log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), error, monotonic() - began)
            raise
        facts = f"{fetched.status}, {len(fetched.body)} bytes"
        log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), facts, monotonic() - began)
        return fetched

    return asked
