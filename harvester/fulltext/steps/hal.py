"""HAL: the file of a deposit, and its licence."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.fulltext.services import hal
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    # The field is case-sensitive, and depositors write DOIs in lower or upper case.
    spellings = dict.fromkeys((known.doi, known.doi.upper()))
    query = f"doiId_s:({' OR '.join(map(phrase, spellings))})"
    asked = urlencode({"q": query, "wt": "json", "fl": hal.FIELDS, "rows": 5})
    return described(
        f"https://api.archives-ouvertes.fr/search/?{asked}", fetch, lambda fetched: hal.read(fetched, known.doi)
    )


STEP = Step("hal", 57, "Asks HAL for the file of the DOI.", has_doi, _find)
