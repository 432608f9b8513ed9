"""Semantic Scholar: the open copy that it knows, often the author's own."""

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.rights_words import is_trusted
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched

_KEY = "semantic_scholar_key"


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address("https://api.semanticscholar.org/graph/v1/paper/DOI:", known.doi, fields=FIELDS)
    return described(url, fetch, read, (("x-api-key", known.settings[_KEY]),))


STEP = Step("semantic_scholar", 55, "Asks Semantic Scholar for an open copy of the DOI.", has_doi, _find, needs=_KEY)

# --- Answers of the Semantic Scholar Academic Graph (`/paper/DOI:…`): the open copy that it knows. Pure --------------

FIELDS = "title,year,abstract,venue,externalIds,isOpenAccess,openAccessPdf"


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when it is not known there. Errors are those of `answered`."""
    document = answered(fetched, "Semantic Scholar", "title", is_text=True)
    return _described(document) if document is not None else None


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list. Errors are those of `answered`."""
    return tuple(_described(part) for part in parts(answered(fetched, "Semantic Scholar", "data") or {}, "data"))


def _described(work: Node) -> Description:
    return Description(
        doi=text(work, "externalIds", "DOI").lower(),
        title=text(work, "title"),
        container=text(work, "venue"),
        year="".join(str(value) for value in values(work, "year")),
        abstract=text(work, "abstract"),
        copies=without_repetitions([_copy(part) for part in parts(work, "openAccessPdf")]),
        is_open=next((value for value in values(work, "isOpenAccess") if isinstance(value, bool)), None),
        also=tuple(texts(work, "externalIds", "PubMedCentral")),
    )


def _copy(location: Node) -> Copy:
    """Return the copy. It may exist although it is called CLOSED; the bytes decide."""
    stated = text(location, "license") if is_trusted(text(location, "url")) else ""
    status = text(location, "status").lower()
    return Copy(
        text(location, "url"),
        mime_type="application/pdf",
        license=license_of(stated),
        license_url=license_uri(stated),
        evidence=f"semantic_scholar:{status}",
        is_open=status not in ("", "closed"),
    )
