"""Answers of bioRxiv and medRxiv (`/details/{server}/{doi}/na/json`): all versions of a preprint. Pure.

Answers of 2024. Both servers share the prefix 10.1101, and 10.64898 since 2025-12-01; Genome Research and other
journals of Cold Spring Harbor have 10.1101 too, with letters behind it.
"""

from __future__ import annotations

import re

from harvester.wire.copies import Copy, Description, Related
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text
from harvester.wire.licenses import license_of

PREPRINT = re.compile(r"10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?(\d{6,8})")
_MEDRXIV_DIGITS = 8  # bioRxiv's numbers have six
SERVERS = ("biorxiv", "medrxiv")
_VERSION = re.compile(r"[1-9]\d{0,2}")


def server_of(doi: str, names: tuple[str, ...] = ()) -> str:
    """Return which server a DOI is of: by the names of containers, else by its number; an empty string: of none."""
    match = PREPRINT.fullmatch(doi)
    if match is None:
        return ""
    named = (name.lower() for name in names)
    by_number = SERVERS[len(match[1]) == _MEDRXIV_DIGITS]
    return next((name for name in named if name in SERVERS), by_number)


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the latest version of a preprint; None: the server does not know it. Errors are those of `answered`."""
    versions = [
        each
        for each in parts(answered(fetched, "bioRxiv") or {}, "collection")
        if text(each, "doi").lower() == doi and _VERSION.fullmatch(text(each, "version"))
    ]
    return _described(max(versions, key=lambda each: int(text(each, "version")))) if versions else None


def _described(entry: Node) -> Description:
    doi, server = text(entry, "doi").lower(), text(entry, "server").lower()
    stated = text(entry, "license")
    copy = Copy(
        f"https://www.{server}.org/content/{doi}v{text(entry, 'version')}.full.pdf",
        mime_type="application/pdf",
        version="submitted",
        license=license_of(stated),
        host_type="repository",
        evidence=f"openrxiv:v{text(entry, 'version')}",
        is_open=True,
    )
    published = text(entry, "published")
    return Description(
        doi=doi,
        title=text(entry, "title"),
        authors=tuple(name.partition(",")[0].strip() for name in text(entry, "authors").split(";") if name.strip()),
        container=text(entry, "server"),
        year=text(entry, "date")[:4],
        abstract=text(entry, "abstract"),
        copies=(copy,) if server in SERVERS else (),
        is_open=True,
        kind="preprint",
        related=(Related("is-preprint-of", "doi", published.lower()),) if published.startswith("10.") else (),
    )
