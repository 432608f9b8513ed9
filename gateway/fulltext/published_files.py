"""Chooses the files of an item to publish: the accepted ones, and those that its record names. Pure.

A published file stays unchanged while its bytes are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.model import Candidate, Decision, FileLink, FileOrigin, Outcome
from gateway.core.settings import Settings
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import UNSEEN
from gateway.fulltext.licenses import is_open, license_of, license_uri
from gateway.fulltext.search_result import NAMED
from gateway.fulltext.stored_files import Copies


class Terms(NamedTuple):
    """How files that a search found are published.

    `is_named`: oai_dc has their addresses. `copies_at` is the address below which our copies are served, or empty.
    Files of at most `most_bytes` are embedded in the DIDL. `copies` are the stored copies.
    """

    is_named: bool = False
    copies_at: str = ""
    most_bytes: int = 0
    copies: Copies | None = None


def terms_of(settings: Settings) -> Terms:
    """Return the terms in force. Copies have an address only if the setting `base_url` is set."""
    base = settings.text("base_url").removesuffix("/oai") if settings.is_on("files_serve") else ""
    most_bytes = settings.number("didl_by_value_max_bytes")
    copies_at = f"{base}/files" if base else ""
    return Terms(settings.is_on("oai_dc_names_files"), copies_at, most_bytes, Copies(settings.instance))


def _offered(link: FileLink, terms: Terms) -> FileLink:
    """Return a file according to the terms. A file without an open licence is neither served nor embedded."""
    copies = terms.copies if is_open(license_of(link.license)) else None
    has_copy = bool(copies and terms.copies_at and copies.has(link.sha256))
    is_carried = copies is not None and link.size is not None and link.size <= terms.most_bytes
    return link._replace(
        is_named=terms.is_named,
        copy_url=f"{terms.copies_at}/{link.sha256}" if has_copy else "",
        content=copies.read(link.sha256) if copies and is_carried else b"",
    )


def files_of(
    candidates: Iterable[Candidate],
    decisions: Iterable[Decision],
    held: Iterable[FileLink],
    terms: Terms,
    retracted: str = "",
) -> tuple[FileLink, ...]:
    """Return the files of an item to publish, sorted by their addresses.

    `candidates` are the copies of the last search, `decisions` all decisions, the oldest first, `held` the published
    files. A published file without a decision stays: only a decision withdraws it. `retracted` is the sentence about a
    retraction of the work, or empty; all discovered files get it.
    """
    published = {file.url: file for file in held}
    seen = {address(candidate.url): candidate for candidate in candidates}
    last = {address(decision.url): decision for decision in decisions}
    files = [file for file in published.values() if file.origin is FileOrigin.DISCOVERED and file.url not in last]
    files += [
        link
        for url, decision in last.items()
        if decision.verdict == "accept" and (link := _accepted(decision, seen.get(url), published.get(url)))
    ]
    files = [_offered(file, terms)._replace(retracted=retracted) for file in files]
    accepted = {file.url for file in files}
    files += [
        link
        for url, candidate in seen.items()
        if candidate.found_by == NAMED and url not in accepted and (link := _named(candidate, published.get(url)))
    ]
    return tuple(sorted(files, key=lambda file: file.url))


def _accepted(decision: Decision, candidate: Candidate | None, held: FileLink | None) -> FileLink | None:
    """Return an accepted file; None if the accepted bytes are not those of the last search."""
    if held is not None and held.sha256 == decision.sha256 and held.origin is FileOrigin.DISCOVERED:
        return held
    if candidate is None or candidate.sha256 != decision.sha256:
        return None
    evidence = candidate.evidence.removeprefix(f"{candidate.found_by}:").strip()
    return _link(candidate)._replace(
        origin=FileOrigin.DISCOVERED,
        found_in=f"{candidate.found_by} ({evidence})" if evidence else candidate.found_by,
        license=candidate.license_url or license_uri(candidate.license) or candidate.license,
        version=candidate.version or candidate.text_version,
    )


def _named(candidate: Candidate, held: FileLink | None) -> FileLink | None:
    """Return the facts about a file that the record names; None if it could never be fetched.

    A file that was there, and is not any more, keeps its facts and is flagged. The record still names it. If a search
    has found it too, and it is not accepted any more, what the search has stated of it is removed.
    """
    if held is not None and held.origin is FileOrigin.DISCOVERED:
        held = _of_record(held)
    if candidate.outcome is Outcome.SUCCESS:
        is_same = held is not None and held.sha256 == candidate.sha256
        return held._replace(missing="") if held is not None and is_same else _link(candidate)
    if held is None or candidate.outcome in UNSEEN or held.missing:
        return held
    return held._replace(missing=f"since {utc_datetime(candidate.at)[:10]} ({candidate.outcome})")


def _of_record(file: FileLink) -> FileLink:
    """Return a file without what a search has stated of it."""
    origin = FileOrigin.UPSTREAM
    return file._replace(
        origin=origin, found_in="", license="", version="", copy_url="", content=b"", retracted="", is_named=False
    )


def _link(candidate: Candidate) -> FileLink:
    return FileLink(
        address(candidate.url),
        candidate.mime_type,
        size=candidate.size,
        sha256=candidate.sha256,
        modified=candidate.modified,
        found_at=utc_datetime(candidate.at),
    )
