"""OSF, with PsyArXiv, SocArXiv and others: the file of a preprint and its licence."""

from __future__ import annotations

from dataclasses import replace

from harvester.fulltext.services import osf
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described
from harvester.http.messages import Fetch


def _preprint(known: Known) -> str:
    return osf.preprint_of(known.doi) or next(
        (identifier for copy in known.pages if (identifier := osf.preprint_of(copy.url))), ""
    )


def _find(known: Known, fetch: Fetch) -> StepResult:
    result = described(f"https://api.osf.io/v2/preprints/{_preprint(known)}/?embed=license", fetch, osf.read)
    is_own = bool(osf.preprint_of(known.doi) or osf.preprint_of(known.work.landing_page))
    return result if is_own else replace(result, description=None)


STEP = Step("osf", 47, "Asks OSF for the file of a preprint.", lambda known: bool(_preprint(known)), _find)
