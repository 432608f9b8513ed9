"""The entry point of the check of anybody's typed links: `harvester lint-signposting URL`.

It starts at a landing page and follows its links to metadata, content, link sets and the persistent identifier. It runs
all checks of this package. All requests go through the given `fetch`.
"""

from __future__ import annotations

import time
from itertools import chain

from gateway.errors import ConfigurationError
from harvester.http.messages import Fetch
from harvester.validate.check import Check
from harvester.validate.client import Clock
from harvester.validate.report import Report
from harvester.validate.signposting import catalog, landing, linksets, resources, syntax
from harvester.validate.signposting.declared import is_http
from harvester.validate.signposting.site import Site
from harvester.validate.signposting.visits import Limits, Visits

__all__ = ["CHECKS", "Limits", "lint"]

CHECKS: tuple[Check[Site], ...] = tuple(
    chain(landing.CHECKS, resources.CHECKS, linksets.CHECKS, catalog.CHECKS, syntax.CHECKS)
)


def lint(url: str, fetch: Fetch, *, limits: Limits | None = None, clock: Clock = time.monotonic) -> Report:
    """Return a report on the typed links of the landing page at `url`, with every check in the order of `CHECKS`.

    `fetch` sends all requests and is responsible for politeness. `limits` bounds requests, seconds, bytes and the links
    that are followed. Checks that cannot be decided then are skipped with that reason. Raise ConfigurationError for a
    text that is no http or https address, and the FetchError when the page gets no answer.
    """
    if not is_http(url):
        raise ConfigurationError(f"{url!r} is not the address of a page. Write http:// or https://.")
    conversation = Visits(fetch, limits or Limits(), clock)
    site = Site(url, conversation)
    refusal = site.asked.refusal
    if refusal is not None:
        raise refusal
    results = tuple(check.run(site) for check in CHECKS)
    return Report(url, results, conversation.sent, conversation.seconds)
