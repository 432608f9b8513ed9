"""What the steps have in common that look for a record without a DOI by its title, an author and its year."""

from __future__ import annotations

from collections.abc import Callable

from gateway.model import Outcome
from harvester.discovery import Found, Known
from harvester.verification.matching import Sought, match, sought
from harvester.wire.copies import Description
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.identifiers import Found as Identifier
from harvester.wire.identifiers import Identifiers

ReadList = Callable[[Fetched], tuple[Description, ...]]
_MOST_CHARACTERS = 300  # of a title that is asked for
ROWS = 5


def can_match(known: Known) -> bool:
    """Tell whether a record has no DOI, but a title, an author and a year."""
    return not known.doi and sought(known.work).is_enough


def question(wanted: Sought) -> tuple[str, str, str]:
    """Return (title, first author, year) as they are asked for."""
    return wanted.titles[0][:_MOST_CHARACTERS], wanted.first_author, str(wanted.years[0])


def matched(known: Known, fetch: Fetch, service: str, url: str, read_list: ReadList) -> Found:
    """Ask a service for works, and return the one that is the work; NOT_FOUND when none is for certain."""
    described = read_list(fetch(Request(url, headers=(("Accept", "application/json"),))))
    found = match(sought(known.work), described, service, known.refused)
    if found is None:
        return Found(Outcome.NOT_FOUND)
    description, claim = found
    more = [Identifier("doi", claim.doi, f"{service}-match")]
    more += [Identifier("issn", issn, service) for issn in description.issns]
    note = (
        f"{service} names the DOI {claim.doi}: its title {claim.title!r} agrees by {claim.similarity:.2f}, "
        f"its author {claim.author} and its year {claim.year} too."
    )
    files = any(not copy.is_page for copy in description.copies)
    return Found(
        Outcome.SUCCESS if files else Outcome.NO_PDF_LINK,
        description.copies,
        description,
        identifiers=Identifiers(known.identifiers.found + tuple(more)),
        note=note,
        match=claim,
    )
