"""HAL: the file of a deposit, and its licence."""

from urllib.parse import urlencode

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.json_answers import Node, answered, listed, text, texts, values
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    # The field is case-sensitive, and depositors write DOIs in lower or upper case.
    spellings = dict.fromkeys((known.doi, known.doi.upper()))
    query = f"doiId_s:({' OR '.join(map(phrase, spellings))})"
    asked = urlencode({"q": query, "wt": "json", "fl": FIELDS, "rows": 5})
    return described(
        f"https://api.archives-ouvertes.fr/search/?{asked}", fetch, lambda fetched: read(fetched, known.doi)
    )


STEP = Step("hal", 57, "Asks HAL for the file of the DOI.", has_doi, _find)

# --- Answers of HAL (`/search/`, Solr as JSON): the file of a deposit and its licence. Pure --------------------------

FIELDS = (
    "halId_s,title_s,authFullName_s,doiId_s,publicationDateY_i,docType_s,openAccess_bool,fileMain_s,licence_s,uri_s"
)


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the deposit of a DOI, one with a file before others; None when HAL knows none. Errors: `listed`."""
    document = answered(fetched, "HAL", "response", "docs")
    works = listed(document, "HAL", "response", "docs", named=lambda node: text(node, "doiId_s"))
    own = [_described(work) for work in works if text(work, "doiId_s").lower() == doi]
    return next((description for description in own if description.copies), next(iter(own), None))


def _described(deposit: Node) -> Description:
    stated = text(deposit, "licence_s")
    copy = Copy(
        text(deposit, "fileMain_s"),
        mime_type="application/pdf",
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type="repository",
        evidence="hal:fileMain_s",
        is_open=True in values(deposit, "openAccess_bool"),
    )
    first, *others = texts(deposit, "title_s") or [""]
    return Description(
        doi=text(deposit, "doiId_s").lower(),
        title=first,
        authors=tuple(name.split()[-1] for name in texts(deposit, "authFullName_s")),
        year="".join(str(value) for value in values(deposit, "publicationDateY_i")),
        copies=without_repetitions([copy]),
        also=tuple(texts(deposit, "halId_s")),
        other_titles=tuple(others),
        kind=text(deposit, "docType_s"),
    )
