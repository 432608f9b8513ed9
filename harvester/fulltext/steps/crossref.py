"""Crossref: metadata, licences and links from the publisher. It also shows that a DOI belongs to another work."""

from dataclasses import replace

from gateway.core.model import Outcome
from gateway.core.normal_forms import letters
from harvester.fulltext.identifiers import Identifier, Identifiers
from harvester.fulltext.known_copies import Description
from harvester.fulltext.services import crossref
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address("https://api.crossref.org/works/", known.doi, mailto=known.email)
    description = described(url, fetch, crossref.read)
    if description.description is None:
        return description
    best = known.identifiers.best("doi")
    if best and not best.is_certain and not _is_of(known, description.description):
        kept = tuple(identifier for identifier in known.identifiers.entries if identifier != best)
        return StepResult(
            Outcome.WRONG_DOCUMENT, identifiers=Identifiers(kept), note=f"{best.value} is another work's DOI."
        )
    more = tuple(Identifier("issn", issn, "crossref") for issn in description.description.issns)
    return replace(description, identifiers=Identifiers(known.identifiers.entries + more))


def _is_of(known: Known, description: Description) -> bool:
    """Return whether a title of the record equals the described one, or one begins with the other."""
    own_title = letters(description.title)
    own = map(letters, known.work.texts("title"))
    return any(title and own_title and (title.startswith(own_title) or own_title.startswith(title)) for title in own)


STEP = Step(
    "crossref",
    10,
    "Asks Crossref for the work: its metadata, ISSNs, licences and links.",
    has_doi,
    _find,
    is_for_files=False,
    is_first=True,
)
