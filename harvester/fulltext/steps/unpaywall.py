"""Unpaywall: every open copy that it knows, not only the one that it ranks first."""

from gateway.fulltext.licenses import license_of, license_uri
from gateway.fulltext.search_result import UNNAMED
from harvester.fulltext.access_rights import day_of
from harvester.fulltext.known_copies import Copy, Description, version_of, without_repetitions
from harvester.fulltext.retractions import by_title
from harvester.fulltext.rights_words import is_trusted
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    return described(address("https://api.unpaywall.org/v2/", known.doi, email=known.email), fetch, read)


STEP = Step(
    "unpaywall", 30, "Asks Unpaywall for all open copies of the DOI.", has_doi, _find, needs="email", is_first=True
)

# --- Answers of Unpaywall, version 2: every location of a work, not only the one that it ranks first. Pure -----------


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when Unpaywall does not know the DOI. Errors are those of `answered`."""
    # Its batch interface wraps the 404 of one DOI in an answer of its own.
    document = answered(fetched, "Unpaywall")
    if document is None or text(document, "error").endswith("404"):
        return None
    return _described(answered(fetched, "Unpaywall", "doi", is_text=True) or {})


def _described(document: Node) -> Description:
    located = [copy for part in parts(document, "oa_locations_embargoed") for copy in _embargoed(part)]
    located += [copy for part in parts(document, "oa_locations") for copy in _copies(part)]
    return Description(
        doi=text(document, "doi").lower(),
        title=text(document, "title"),
        authors=tuple(texts(document, "z_authors", "family")),
        container=text(document, "journal_name"),
        publisher=text(document, "publisher"),
        year="".join(str(value) for value in values(document, "year")),
        issns=tuple(part.strip() for part in text(document, "journal_issns").split(",") if part.strip()),
        copies=without_repetitions(located),
        is_open=document.get("is_oa") is True,
        kind=text(document, "genre"),
        retracted=by_title(text(document, "title"), "Unpaywall"),
    )


def _embargoed(location: Node) -> list[Copy]:
    """Return the file and the page of a location that opens on a day, which may be UNNAMED."""
    day = day_of(text(location, "oa_date"), is_end=True) or UNNAMED
    return [copy._replace(open_from=day, evidence="unpaywall:oa_locations_embargoed") for copy in _copies(location)]


def _copies(location: Node) -> list[Copy]:
    """Return the file of a location and its page, the file first."""
    addresses = [text(location, name) for name in ("url", "url_for_pdf", "url_for_landing_page")]
    stated = text(location, "license") if all(map(is_trusted, addresses)) else ""
    known = Copy(
        "",
        version=version_of(text(location, "version")),
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type=text(location, "host_type"),
        evidence=f"unpaywall:{text(location, 'evidence')}",
        is_open=True,
    )
    files = [known._replace(url=url, mime_type="application/pdf") for url in texts(location, "url_for_pdf")]
    pages = texts(location, "url_for_landing_page") or texts(location, "url")
    return files + [known._replace(url=url, is_page=True) for url in pages]
