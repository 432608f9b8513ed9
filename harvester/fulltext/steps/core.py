"""CORE: copies in repositories all over the world. Without a key its limit is very low."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.fulltext.services import core
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.messages import Fetch

_KEY = "core_key"


def _find(known: Known, fetch: Fetch) -> StepResult:
    # Without the last slash it redirects.
    url = f"https://api.core.ac.uk/v3/search/works/?{urlencode({'q': f'doi:{phrase(known.doi)}', 'limit': 5})}"
    key = ("Authorization", f"Bearer {known.settings[_KEY]}")
    return described(url, fetch, lambda fetched: core.read(fetched, known.doi), (key,))


STEP = Step("core", 58, "Asks CORE for copies of the DOI in repositories.", has_doi, _find, needs=_KEY)
