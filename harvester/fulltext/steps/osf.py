"""OSF, with PsyArXiv, SocArXiv and others: the file of a preprint and its licence."""

import re
from dataclasses import replace

from gateway.core.bibliography.identifiers import dois_in
from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described
from harvester.http.json_answers import Node, answered, parts, text, without
from harvester.http.messages import Fetch, Fetched


def _preprint(known: Known) -> str:
    return preprint_of(known.doi) or next(
        (identifier for copy in known.pages if (identifier := preprint_of(copy.url))), ""
    )


def _find(known: Known, fetch: Fetch) -> StepResult:
    result = described(f"https://api.osf.io/v2/preprints/{_preprint(known)}/?embed=license", fetch, read)
    is_own = bool(preprint_of(known.doi) or preprint_of(known.work.landing_page))
    return result if is_own else replace(result, description=None)


STEP = Step("osf", 47, "Asks OSF for the file of a preprint.", lambda known: bool(_preprint(known)), _find)

# --- Answers of the API of OSF (`/v2/preprints/{id}/?embed=license`) --------------------------------------------------

# An identifier of OSF may end in a version; without one it is the latest. DOIs that begin with 10.17605 are projects.
_ID = r"([a-z0-9]{5}(?:_v\d{1,3})?)"
_DOI = re.compile(rf"(?!10\.17605/)10\.\d{{5}}/osf\.io/{_ID}")
_PAGE = re.compile(rf"https?://osf\.io/preprints/(?:[a-z]{{1,40}}/)?{_ID}/?")
_FILE = re.compile(r"[0-9a-f]{24}")


def preprint_of(doi_or_page: str) -> str:
    """Return the identifier of the preprint that a DOI or the address of its page names, or an empty string."""
    match = _DOI.fullmatch(doi_or_page) or _PAGE.fullmatch(doi_or_page)
    return match[1] if match else ""


def read(fetched: Fetched) -> Description | None:
    """Return a preprint; None when OSF does not know it.

    Errors are those of `answered`; also raise AnswerError when the relationships are missing.
    """
    document = answered(fetched, "OSF", "data", "attributes", "title", is_text=True)
    if document is None:
        return None
    (preprint,) = parts(document, "data")
    if not any(parts(preprint, "relationships")):
        raise without("OSF", "data.relationships")
    return _described(preprint)


def _described(preprint: Node) -> Description:
    attributes = next(iter(parts(preprint, "attributes")), {})
    withdrawn = text(attributes, "date_withdrawn")[:10]
    stated = next(iter(parts(preprint, "embeds", "license", "data", "attributes")), {})
    name = text(stated, "name")
    number = text(preprint, "relationships", "primary_file", "data", "id")
    if parts(preprint, "relationships", "primary_file", "data") and not _FILE.fullmatch(number):
        raise without("OSF", "the number of a file in data.relationships.primary_file")
    copy = Copy(
        f"https://osf.io/download/{number}/",
        mime_type="application/pdf",
        version="submitted",
        license=license_of(f"{name} {text(stated, 'url')}"),
        license_url=license_uri(text(stated, "url")) or license_uri(name),
        host_type="repository",
        evidence="osf:primary_file",
        is_open=True,
    )
    return Description(
        doi=next(iter(dois_in(text(preprint, "links", "preprint_doi"))), ""),
        title=text(attributes, "title"),
        year=text(attributes, "date_published")[:4],
        abstract=text(attributes, "description"),
        copies=(copy,) if _FILE.fullmatch(number) and not withdrawn else (),
        kind="preprint",
        retracted=f"OSF says that the preprint was withdrawn on {withdrawn}." if withdrawn else "",
    )
