"""Every request in the log, for --verbose: what was asked, and what came. No secret is in it."""

from __future__ import annotations

import logging
from time import monotonic

from gateway.errors import GatewayError
from harvester.web.urls import shown
from harvester.wire.http import Fetch, Fetched, Request

log = logging.getLogger("harvester")


def logged(fetch: Fetch) -> Fetch:
    """Return a Fetch that writes a line about each request."""

    def asked(request: Request) -> Fetched:
        began = monotonic()
        try:
            fetched = fetch(request)
        except GatewayError as error:
            log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), error, monotonic() - began)
            raise
        said = f"{fetched.status}, {len(fetched.body)} bytes"
        log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), said, monotonic() - began)
        return fetched

    return asked
