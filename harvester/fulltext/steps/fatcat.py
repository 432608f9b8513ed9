"""Internet Archive Scholar (fatcat): locations of the file; the copy in the Wayback Machine comes last."""

import re
from urllib.parse import urlencode

from gateway.core.secret_arguments import without_secrets
from harvester.fulltext.known_copies import Copy, Description, version_of, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    wanted = {"doi": known.doi, "expand": "files,container", "hide": "abstracts,refs"}
    url = f"https://api.fatcat.wiki/v0/release/lookup?{urlencode(wanted)}"
    return described(url, fetch, lambda fetched: read(fetched, known.doi))


STEP = Step("fatcat", 90, "Asks Internet Archive Scholar where the file of the DOI was seen.", has_doi, _find)

# --- Answers of fatcat (`/v0/release/lookup?doi=&expand=files`) -------------------------------------------------------

_PDF = "application/pdf"
_CAPTURE = re.compile(r"https?://web\.archive\.org/web/(\d{14})(?:id_)?/(.{1,2000})")
_WAYBACK = re.compile(r"https?://web\.archive\.org/")
_SIGNED = re.compile(r"(?i)[?&](?:x-amz-|expires=|awsaccesskeyid=)")
_STAGES = {"draft": "submitted"}
# In this order: the original place, then other archives, and the Wayback Machine last.
_RELATIONS = ("web", "publisher", "repository", "archive", "aggregator", "webarchive")


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the release of a DOI; None when fatcat does not know it. Errors are those of `answered`."""
    document = answered(fetched, "fatcat", "ext_ids", "doi", is_text=True)
    return _described(document) if document and text(document, "ext_ids", "doi").lower() == doi else None


def _described(release: Node) -> Description:
    stage = text(release, "release_stage")
    withdrawn = text(release, "withdrawn_status")
    files = [part for part in parts(release, "files") if text(part, "mimetype") in ("", _PDF)]
    copies = [copy for file in files for copy in _copies(file, _STAGES.get(stage, version_of(stage)))]
    copies.sort(key=lambda copy: _RELATIONS.index(copy.evidence.removeprefix("fatcat:")))
    return Description(
        doi=text(release, "ext_ids", "doi").lower(),
        title=text(release, "title"),
        authors=tuple(name.split()[-1] for name in texts(release, "contribs", "raw_name")),
        container=text(release, "container", "name"),
        publisher=text(release, "publisher"),
        year="".join(str(value) for value in values(release, "release_year")),
        copies=without_repetitions(copies),
        kind=text(release, "release_type"),
        retracted=f"fatcat says that it is {withdrawn}." if withdrawn else "",
    )


def _copies(file: Node, version: str) -> list[Copy]:
    return [
        Copy(
            address,
            mime_type=_PDF,
            version=version,
            host_type="repository" if text(part, "rel") in ("repository", "archive") else "",
            evidence=f"fatcat:{text(part, 'rel')}",
        )
        for part in parts(file, "urls")
        if text(part, "rel") in _RELATIONS and (address := _address(text(part, "url")))
    ]


def _address(url: str) -> str:
    """Return the address of the bytes; empty for one that was signed for one reader, or has no time."""
    capture = _CAPTURE.fullmatch(url)
    if capture is None and _WAYBACK.match(url):
        return ""
    original = capture[2] if capture else url
    if _SIGNED.search(url) or without_secrets(original) != original:
        return ""
    return f"https://web.archive.org/web/{capture[1]}id_/{original}" if capture else url
