"""Internet Archive Scholar (fatcat): where the file was seen; the Wayback Machine's copy is the last resort of all."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described, has_doi
from harvester.wire import fatcat
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    wanted = {"doi": known.doi, "expand": "files,container", "hide": "abstracts,refs"}
    url = f"https://api.fatcat.wiki/v0/release/lookup?{urlencode(wanted)}"
    return described(url, fetch, lambda fetched: fatcat.read(fetched, known.doi))


STEP = Step("fatcat", 90, "Asks Internet Archive Scholar where the file of the DOI was seen.", has_doi, _find)
