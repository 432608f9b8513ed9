"""OpenAlex, asked for a work without a DOI that Crossref has not told: by title and year."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from harvester.discovery import Found, Known, Step
from harvester.discovery._matching import ROWS, can_match, matched, question
from harvester.verification.matching import sought
from harvester.wire import openalex
from harvester.wire.http import Fetch

_WORD = re.compile(r"\w++")


def _find(known: Known, fetch: Fetch) -> Found:
    """Ask for the words of the title alone: commas, colons and bars mean something in a filter."""
    wanted = sought(known.work)
    title, _, _ = question(wanted)
    years = f"{wanted.years[0] - 1}-{wanted.years[-1] + 1}"
    asked = {
        "filter": f"title.search:{' '.join(_WORD.findall(title))},publication_year:{years}",
        "per_page": str(ROWS),
        "mailto": known.email,
        "api_key": known.settings["openalex_key"],
    }
    query = urlencode({name: value for name, value in asked.items() if value})
    return matched(known, fetch, "openalex", f"https://api.openalex.org/works?{query}", openalex.read_list)


STEP = Step(
    "openalex_match",
    14,
    "Asks OpenAlex for a work without a DOI that Crossref does not know by its title.",
    can_match,
    _find,
    needs="openalex_key",
    is_for_files=False,
    is_first=True,
)
