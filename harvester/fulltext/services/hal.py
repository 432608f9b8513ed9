"""Answers of HAL (`/search/`, Solr as JSON): the file of a deposit and its licence. Pure.

Answers of 2026-03, without DOI, licence and type of document. A deposit without `fileMain_s` has no file, or one under
an embargo; the answer does not say which, or until when.
"""

from __future__ import annotations

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.http.json_answers import Node, answered, listed, text, texts, values
from harvester.http.messages import Fetched

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
