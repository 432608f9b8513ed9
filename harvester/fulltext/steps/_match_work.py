"""Shared functions of steps that ask for a record without a DOI by title, author and year."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from gateway.core.model import Outcome
from harvester.fulltext.identifiers import Identifier, Identifiers
from harvester.fulltext.known_copies import Description
from harvester.fulltext.match_work import Sought, match_work, sought
from harvester.fulltext.steps import Known, StepResult
from harvester.fulltext.steps._ask_service import readable
from harvester.http.messages import Fetch, Fetched, Request

ReadList = Callable[[Fetched], tuple[Description, ...]]
_MOST_CHARACTERS = 300  # of a title in a request
ROWS = 5


def can_match(known: Known) -> bool:
    """Return whether a record has no DOI, but a title, an author and a year."""
    return not known.doi and sought(known.work).is_enough


def question(wanted: Sought) -> tuple[str, str, str]:
    """Return (title, first author, year) for a request."""
    return wanted.titles[0][:_MOST_CHARACTERS], wanted.first_author, str(wanted.years[0])


def matched(
    known: Known, fetch: Fetch, service: str, base: str, arguments: Mapping[str, str], read_list: ReadList
) -> StepResult:
    """Return the one work in a service's answer that matches; NOT_FOUND when none is certain.

    Empty arguments are left out of the URL. Raise the errors of `read_list`.
    """
    url = f"{base}?{urlencode({name: value for name, value in arguments.items() if value})}"
    request = Request(url, headers=(("Accept", "application/json"),), suits=readable(read_list))
    described = read_list(fetch(request))
    matched = match_work(sought(known.work), described, service, known.refused)
    if matched is None:
        return StepResult(Outcome.NOT_FOUND)
    description, claim = matched
    more = [Identifier("doi", claim.doi, f"{service}-match")]
    more += [Identifier("issn", issn, service) for issn in description.issns]
    note = (
        f"{service} names the DOI {claim.doi}: its title {claim.title!r} agrees by {claim.similarity:.2f}, "
        f"its author {claim.author} and its year {claim.year} too."
    )
    files = any(not copy.is_page for copy in description.copies)
    return StepResult(
        Outcome.SUCCESS if files else Outcome.NO_PDF_LINK,
        description.copies,
        description,
        identifiers=Identifiers(known.identifiers.entries + tuple(more)),
        note=note,
        match=claim,
    )
