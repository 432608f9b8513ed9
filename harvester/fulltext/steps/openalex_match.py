"""OpenAlex, asked by title and year for a work without a DOI that Crossref does not know."""

import re

from harvester.fulltext.match_work import sought
from harvester.fulltext.steps import Known, Step, StepResult, openalex
from harvester.fulltext.steps._match_work import ROWS, can_match, matched, question
from harvester.http.messages import Fetch

_WORD = re.compile(r"\w++")


def _find(known: Known, fetch: Fetch) -> StepResult:
    """Ask with the words of the title alone: commas, colons and bars are operators in a filter."""
    wanted = sought(known.work)
    title, _, _ = question(wanted)
    years = f"{wanted.years[0] - 1}-{wanted.years[-1] + 1}"
    asked = {
        "filter": f"title.search:{' '.join(_WORD.findall(title))},publication_year:{years}",
        "per_page": str(ROWS),
        "mailto": known.email,
        "api_key": known.settings["openalex_key"],
    }
    return matched(known, fetch, "openalex", "https://api.openalex.org/works", asked, openalex.read_list)


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
