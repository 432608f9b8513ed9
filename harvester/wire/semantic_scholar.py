"""Answers of the Semantic Scholar Academic Graph (`/paper/DOI:…`): the open copy that it has seen. Pure."""

from __future__ import annotations

from harvester.wire.copies import Copy, Description, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts, values
from harvester.wire.license_hosts import is_trusted
from harvester.wire.licenses import license_of, license_uri

FIELDS = "title,year,abstract,venue,externalIds,isOpenAccess,openAccessPdf"


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when it is not known there. Errors are those of `answered`."""
    document = answered(fetched, "Semantic Scholar")
    return _described(document) if document is not None else None


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list."""
    return tuple(_described(each) for each in parts(answered(fetched, "Semantic Scholar") or {}, "data"))


def _described(work: Node) -> Description:
    return Description(
        doi=text(work, "externalIds", "DOI").lower(),
        title=text(work, "title"),
        container=text(work, "venue"),
        year="".join(str(each) for each in values(work, "year")),
        abstract=text(work, "abstract"),
        copies=without_repetitions([_copy(each) for each in parts(work, "openAccessPdf")]),
        is_open=next((each for each in values(work, "isOpenAccess") if isinstance(each, bool)), None),
        also=tuple(texts(work, "externalIds", "PubMedCentral")),
    )


def _copy(told: Node) -> Copy:
    """Return the copy. It may be called CLOSED and be there nevertheless; the bytes decide."""
    stated = text(told, "license") if is_trusted(text(told, "url")) else ""
    status = text(told, "status").lower()
    return Copy(
        text(told, "url"),
        mime_type="application/pdf",
        license=license_of(stated),
        license_url=license_uri(stated),
        evidence=f"semantic_scholar:{status}",
        is_open=status not in ("", "closed"),
    )
