"""Answers of fatcat (`/v0/release/lookup?doi=&expand=files`), the catalogue of Internet Archive Scholar. Pure.

Answers of 2019 without files; one file of 2020. That a file was seen free says nothing of its licence, and a file may
be of several releases. Addresses that were signed for one reader have ended. The Wayback Machine gives the bytes as
they were where `id_` stands behind the time.
"""

from __future__ import annotations

import re

from gateway.secret_arguments import without_secrets
from harvester.wire.copies import Copy, Description, version_of, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts, values

_PDF = "application/pdf"
_CAPTURE = re.compile(r"https?://web\.archive\.org/web/(\d{14})(?:id_)?/(.{1,2000})")
_WAYBACK = re.compile(r"https?://web\.archive\.org/")
_SIGNED = re.compile(r"(?i)[?&](?:x-amz-|expires=|awsaccesskeyid=)")
_STAGES = {"draft": "submitted"}
# In this order: where it was first, then other archives, and the Wayback Machine when nothing else is left.
_RELATIONS = ("web", "publisher", "repository", "webarchive")


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the release of a DOI; None when fatcat does not know it. Errors are those of `answered`."""
    document = answered(fetched, "fatcat")
    return _described(document) if document and text(document, "ext_ids", "doi").lower() == doi else None


def _described(release: Node) -> Description:
    stage = text(release, "release_stage")
    withdrawn = text(release, "withdrawn_status")
    files = [each for each in parts(release, "files") if text(each, "mimetype") in ("", _PDF)]
    copies = [copy for each in files for copy in _copies(each, _STAGES.get(stage, version_of(stage)))]
    copies.sort(key=lambda copy: _RELATIONS.index(copy.evidence.removeprefix("fatcat:")))
    return Description(
        doi=text(release, "ext_ids", "doi").lower(),
        title=text(release, "title"),
        authors=tuple(name.split()[-1] for name in texts(release, "contribs", "raw_name")),
        container=text(release, "container", "name"),
        publisher=text(release, "publisher"),
        year="".join(str(each) for each in values(release, "release_year")),
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
            host_type="repository" if text(each, "rel") == "repository" else "",
            evidence=f"fatcat:{text(each, 'rel')}",
        )
        for each in parts(file, "urls")
        if text(each, "rel") in _RELATIONS and (address := _address(text(each, "url")))
    ]


def _address(url: str) -> str:
    """Return where the bytes are; an empty string where it was signed for one reader, or has no time."""
    capture = _CAPTURE.fullmatch(url)
    if capture is None and _WAYBACK.match(url):
        return ""
    original = capture[2] if capture else url
    if _SIGNED.search(url) or without_secrets(original) != original:
        return ""
    return f"https://web.archive.org/web/{capture[1]}id_/{original}" if capture else url
