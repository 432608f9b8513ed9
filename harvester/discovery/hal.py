"""HAL: the file of a deposit, and its licence."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described, has_doi, phrase
from harvester.wire import hal
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    # The field is compared letter by letter, and depositors write DOIs in small or in capital letters.
    spellings = dict.fromkeys((known.doi, known.doi.upper()))
    query = f"doiId_s:({' OR '.join(map(phrase, spellings))})"
    asked = urlencode({"q": query, "wt": "json", "fl": hal.FIELDS, "rows": 5})
    return described(
        f"https://api.archives-ouvertes.fr/search/?{asked}", fetch, lambda fetched: hal.read(fetched, known.doi)
    )


STEP = Step("hal", 57, "Asks HAL for the file of the DOI.", has_doi, _find)
