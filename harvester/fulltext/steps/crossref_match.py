"""Crossref, asked for a work without a DOI: by title, first author and year."""

from harvester.fulltext.match_work import sought
from harvester.fulltext.steps import Known, Step, StepResult, crossref
from harvester.fulltext.steps._match_work import ROWS, can_match, matched, question
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    """Ask with one text: Crossref ranks by all of it, while `query.author` ranks other works first."""
    asked = {
        "query.bibliographic": " ".join(question(sought(known.work))),
        "rows": str(ROWS),
        "select": ",".join(crossref.SELECTED),
        "mailto": known.email,
    }
    return matched(known, fetch, "crossref", "https://api.crossref.org/works", asked, crossref.read_list)


STEP = Step(
    "crossref_match",
    12,
    "Asks Crossref for a work without a DOI by its title, first author and year.",
    can_match,
    _find,
    is_for_files=False,
    is_first=True,
)
