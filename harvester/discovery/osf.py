"""OSF, with PsyArXiv, SocArXiv and others: the file of a preprint and its licence."""

from __future__ import annotations

from dataclasses import replace

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described
from harvester.wire import osf
from harvester.wire.http import Fetch


def _preprint(known: Known) -> str:
    return osf.preprint_of(known.doi) or next(
        (identifier for copy in known.pages if (identifier := osf.preprint_of(copy.url))), ""
    )


def _find(known: Known, fetch: Fetch) -> Found:
    found = described(f"https://api.osf.io/v2/preprints/{_preprint(known)}/?embed=license", fetch, osf.read)
    is_own = bool(osf.preprint_of(known.doi) or osf.preprint_of(known.work.landing_page))
    return found if is_own else replace(found, description=None)


STEP = Step("osf", 47, "Asks OSF for the file of a preprint.", lambda known: bool(_preprint(known)), _find)
