"""The pages that a service calls open: where it knows no address of the file, its page leads there.

They are looked at before further services are asked: who has an open copy needs no other.
"""

from __future__ import annotations

from dataclasses import replace

from harvester.discovery import Found, Known, Step, landing_page, signposting
from harvester.discovery._walking import open_pages_of
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    pages = open_pages_of(known)
    found = signposting.follow(known, pages, fetch)
    if not found.copies:
        found = replace(landing_page.walk(pages, fetch), identifiers=found.identifiers)
    # What stands first on an open page is known to be open.
    first = tuple(copy._replace(is_open=True) for copy in found.copies[:1])
    return replace(found, copies=first + found.copies[1:])


STEP = Step(
    "open_pages",
    48,
    "Follows the signposts and links of pages that a service calls open.",
    lambda known: bool(open_pages_of(known)),
    _find,
)
