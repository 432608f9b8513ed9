"""Answers of Europe PMC (`/search?resultType=core`): the files of a work there and in PubMed Central. Pure.

Answers of 2026-03. Flags are `Y` or `N`. In answers made from XML a list of one is the object itself.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.retractions import UPDATES, by_mark, by_update
from harvester.http.json_answers import Node, answered, listed, parts, text, texts
from harvester.http.messages import Fetched

_PMCID = re.compile(r"PMC\d{1,9}")
# PubMed Central's own site answers programs with a puzzle instead of the file (2024-11); its bucket has the same file.
_CLOSED_TO_PROGRAMS = re.compile(r"https?://(?:www\.ncbi\.nlm\.nih\.gov|pmc\.ncbi\.nlm\.nih\.gov)/")
_NAME = "Europe PMC"
_RETRACTED = "retracted publication"  # a type of PubMed
# The types of notices about a work in PubMed.
_UPDATES = {
    "retraction in": "retraction",
    "retracted and republished in": "retraction",
    "partial retraction in": "partial_retraction",
    "withdrawal in": "withdrawal",
    "removal in": "removal",
    "expression of concern in": "expression_of_concern",
}
_NOTICES = re.compile(r"(?i)erratum|corrigend|correction|retract|expression of concern|comment|preprint|review$")


class _Free(NamedTuple):
    """The availability of a file: the service's code, and whether a licence is stated."""

    code: str
    is_licensed: bool


_FREE = {"OA": _Free("OA", is_licensed=True), "F": _Free("F", is_licensed=False)}


def rendered(pmcid: str) -> str:
    """Return the address of the file of a PMCID at Europe PMC."""
    return f"https://europepmc.org/articles/{pmcid}?pdf=render"


def in_bucket(pmcid: str) -> str:
    """Return the address of the file, its first version, in PubMed Central's public bucket (layout of 2026-02)."""
    return f"https://pmc-oa-opendata.s3.amazonaws.com/{pmcid}.1/{pmcid}.1.pdf"


def read(fetched: Fetched, doi: str, pmcid: str = "") -> Description | None:
    """Return the work of that DOI, else of that PMCID; None when it is not known. Errors: `answered`, `listed`."""
    document = answered(fetched, "Europe PMC", "resultList")
    name, wanted = ("doi", doi) if doi else ("pmcid", pmcid.lower())
    works = listed(document, "Europe PMC", "resultList", "result", named=lambda node: text(node, name))
    own = [work for work in works if wanted and text(work, name).lower() == wanted]
    described = [_described(work) for work in own]
    return next((description for description in described if description.copies), next(iter(described), None))


def _described(result: Node) -> Description:
    kinds = texts(result, "pubTypeList", "pubType")
    return Description(
        doi=text(result, "doi").lower(),
        title=text(result, "title").rstrip("."),
        authors=tuple(texts(result, "authorList", "author", "lastName")),
        container=text(result, "journalInfo", "journal", "title"),
        year=text(result, "pubYear"),
        abstract=text(result, "abstractText"),
        issns=tuple(texts(result, "journalInfo", "journal", "issn") + texts(result, "journalInfo", "journal", "essn")),
        copies=without_repetitions(_copies(result)),
        is_open=True if text(result, "isOpenAccess") == "Y" else None,
        also=tuple(texts(result, "pmcid") + texts(result, "pmid")),
        kind=next((kind for kind in kinds if _NOTICES.search(kind)), next(iter(kinds), "")),
        retracted=_retracted(result),
    )


def _copies(result: Node) -> list[Copy]:
    """Return the open or free files, without those for subscribers and without pages."""
    files = [
        _copy(result, _FREE[text(part, "availabilityCode")], text(part, "url"), text(part, "site"))
        for part in parts(result, "fullTextUrlList", "fullTextUrl")
        if text(part, "documentStyle") == "pdf" and text(part, "availabilityCode") in _FREE
    ]
    files = [file for file in files if not _CLOSED_TO_PROGRAMS.match(file.url)]
    pmcid = text(result, "pmcid")
    if text(result, "isOpenAccess") == "Y" and _PMCID.fullmatch(pmcid):
        licensed = any(file.license for file in files)
        files.append(_copy(result, _FREE["OA" if licensed else "F"], in_bucket(pmcid), "PMC bucket"))
    return files


def _copy(result: Node, free: _Free, url: str, site: str) -> Copy:
    stated = text(result, "license") if free.is_licensed else ""
    return Copy(
        url,
        mime_type="application/pdf",
        version=_version(result),
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type="repository",
        evidence=f"europe_pmc:{site} {free.code}",
        is_open=True,
    )


def _version(result: Node) -> str:
    """Return the version: author manuscripts and preprints are marked, all others are published versions."""
    if text(result, "source") == "PPR":
        return "submitted"
    return "accepted" if text(result, "authMan") == "Y" else "published"


def _retracted(result: Node) -> str:
    """Return the sentence for the most serious notice about a work, else for its mark; empty: neither."""
    notices = parts(result, "commentCorrectionList", "commentCorrection")
    updates = {_UPDATES.get(text(notice, "type").lower(), ""): notice for notice in reversed(notices)}
    update = next((update for update in UPDATES if update in updates), "")
    if update:
        return by_update(update, _NAME, text(updates[update], "reference") or text(updates[update], "id"))
    is_marked = _RETRACTED in map(str.lower, texts(result, "pubTypeList", "pubType"))
    return by_mark(_NAME) if is_marked else ""
