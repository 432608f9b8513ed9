"""Crossref, asked for a work without a DOI: by title, first author and year."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.discovery import Found, Known, Step
from harvester.discovery._matching import ROWS, can_match, matched, question
from harvester.verification.matching import sought
from harvester.wire import crossref
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    """Ask with one text: Crossref then ranks by all of it, while `query.author` alone brings other works in front."""
    asked = {
        "query.bibliographic": " ".join(question(sought(known.work))),
        "rows": str(ROWS),
        "select": ",".join(crossref.SELECTED),
        "mailto": known.email,
    }
    query = urlencode({name: value for name, value in asked.items() if value})
    return matched(known, fetch, "crossref", f"https://api.crossref.org/works?{query}", crossref.read_list)


STEP = Step(
    "crossref_match",
    12,
    "Asks Crossref for a work without a DOI by its title, first author and year.",
    can_match,
    _find,
    is_for_files=False,
    is_first=True,
)
