"""Internet Archive Scholar (fatcat): locations of the file; the copy in the Wayback Machine comes last."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.fulltext.services import fatcat
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    wanted = {"doi": known.doi, "expand": "files,container", "hide": "abstracts,refs"}
    url = f"https://api.fatcat.wiki/v0/release/lookup?{urlencode(wanted)}"
    return described(url, fetch, lambda fetched: fatcat.read(fetched, known.doi))


STEP = Step("fatcat", 90, "Asks Internet Archive Scholar where the file of the DOI was seen.", has_doi, _find)
