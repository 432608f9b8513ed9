"""Crossref: what the publisher deposited of the work, its licences and links. It also unmasks DOIs of other works."""

from __future__ import annotations

from dataclasses import replace

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described, has_doi
from harvester.verification.similarity import letters
from harvester.wire import crossref
from harvester.wire.copies import Description
from harvester.wire.http import Fetch
from harvester.wire.identifiers import Found as Identifier
from harvester.wire.identifiers import Identifiers


def _find(known: Known, fetch: Fetch) -> Found:
    url = address("https://api.crossref.org/works/", known.doi, mailto=known.email)
    found = described(url, fetch, crossref.read)
    if found.description is None:
        return found
    best = known.identifiers.best("doi")
    if best and not best.is_certain and not _is_of(known, found.description):
        kept = tuple(each for each in known.identifiers.found if each != best)
        return Found(Outcome.WRONG_DOCUMENT, identifiers=Identifiers(kept), note=f"{best.value} is another work's DOI.")
    more = tuple(Identifier("issn", issn, "crossref") for issn in found.description.issns)
    return replace(found, identifiers=Identifiers(known.identifiers.found + more))


def _is_of(known: Known, description: Description) -> bool:
    """Tell whether a title of the record is the described one, or one of them begins with the other."""
    told = letters(description.title)
    own = (letters(each.text) for each in known.work.statements if each.element == "title")
    return any(title and told and (title.startswith(told) or told.startswith(title)) for title in own)


STEP = Step(
    "crossref",
    10,
    "Asks Crossref for the work: its metadata, ISSNs, licences and links.",
    has_doi,
    _find,
    is_for_files=False,
    is_first=True,
)
