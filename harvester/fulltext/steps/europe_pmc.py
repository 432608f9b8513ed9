"""Europe PMC: the files of the life sciences, with a second place for each open one: PubMed Central's bucket."""

import re
from dataclasses import replace
from urllib.parse import urlencode

from gateway.core.model import Outcome
from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.fulltext.retractions import UPDATES, by_mark, by_update
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, phrase
from harvester.http.json_answers import Node, answered, listed, parts, text, texts
from harvester.http.messages import Fetch, Fetched

_SEARCH = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"


def _find(known: Known, fetch: Fetch) -> StepResult:
    pmcid = known.identifiers.value("pmcid")
    query = f"DOI:{phrase(known.doi)}" if known.doi else f"PMCID:{pmcid}"
    url = f"{_SEARCH}?{urlencode({'query': query, 'resultType': 'core', 'format': 'json', 'pageSize': 5})}"
    result = described(url, fetch, lambda fetched: read(fetched, known.doi, pmcid))
    best = known.identifiers.best("pmcid")
    if not known.doi and not (best and best.is_certain):
        result = replace(result, description=None)  # it may describe a related work
    return result if result.outcome is Outcome.SUCCESS else _rendered(known, result)


def _rendered(known: Known, result: StepResult) -> StepResult:
    """Return the address derived from the record's own PMCID if the service names no file."""
    copies = tuple(
        Copy(
            f"https://europepmc.org/articles/{pmcid}?pdf=render",
            mime_type="application/pdf",
            evidence=f"pmcid:{pmcid}",
            is_open=True,
        )
        for pmcid in known.identifiers.all("pmcid")
    )
    return replace(result, outcome=Outcome.SUCCESS, copies=copies) if copies else result


STEP = Step(
    "europe_pmc",
    49,
    "Asks Europe PMC for open and free files of the DOI or PMCID.",
    lambda known: bool(known.doi or known.identifiers.value("pmcid")),
    _find,
)

# --- Answers of Europe PMC (`/search?resultType=core`): the files of a work there and in PubMed Central. Pure --------

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


_LICENSED, _FREE = "OA", "F"  # codes of the availability of a file: a licence is stated for the first


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
        _copy(result, text(part, "availabilityCode"), text(part, "url"), text(part, "site"))
        for part in parts(result, "fullTextUrlList", "fullTextUrl")
        if text(part, "documentStyle") == "pdf" and text(part, "availabilityCode") in (_LICENSED, _FREE)
    ]
    files = [file for file in files if not _CLOSED_TO_PROGRAMS.match(file.url)]
    pmcid = text(result, "pmcid")
    if text(result, "isOpenAccess") == "Y" and _PMCID.fullmatch(pmcid):
        licensed = any(file.license for file in files)
        bucket = f"https://pmc-oa-opendata.s3.amazonaws.com/{pmcid}.1/{pmcid}.1.pdf"  # its first version (2026-02)
        files.append(_copy(result, _LICENSED if licensed else _FREE, bucket, "PMC bucket"))
    return files


def _copy(result: Node, code: str, url: str, site: str) -> Copy:
    stated = text(result, "license") if code == _LICENSED else ""
    return Copy(
        url,
        mime_type="application/pdf",
        version=_version(result),
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type="repository",
        evidence=f"europe_pmc:{site} {code}",
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
