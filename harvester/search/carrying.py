"""What is published of an item's files: what was accepted, and what was learned of those that its record names. Pure.

What is published already is told again as it was while the bytes are the same: nothing is new that is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.addresses import address
from gateway.model import Candidate, Decision, FileLink, FileOrigin, Outcome
from gateway.settings import Settings
from gateway.xmltext import utc_datetime
from harvester.search.checking import NAMED
from harvester.search.copies import Copies
from harvester.search.deciding import UNSEEN
from harvester.wire.licenses import is_open, license_of, license_uri


class Terms(NamedTuple):
    """How files that were found are published.

    `is_named`: oai_dc names them. `copies_at` is the address below which our copies are served; empty: they are not.
    `most_bytes` is up to which size a file is carried itself. `copies` are those that are kept.
    """

    is_named: bool = False
    copies_at: str = ""
    most_bytes: int = 0
    copies: Copies | None = None


def terms_of(settings: Settings) -> Terms:
    """Return the terms in force. Copies have an address only where the gateway's own is told, `base_url`."""
    base = settings.text("base_url").removesuffix("/oai") if settings.is_on("files_serve") else ""
    most_bytes = settings.number("didl_by_value_max_bytes")
    copies_at = f"{base}/files" if base else ""
    return Terms(settings.is_on("oai_dc_names_files"), copies_at, most_bytes, Copies(settings.instance))


def _offered(link: FileLink, terms: Terms) -> FileLink:
    """Return a file as the terms want it. What is not openly licensed is neither copied nor carried."""
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
    """Return all that is to be known of the files of an item, in the order of their addresses.

    `candidates` are the copies that were looked at last, `decisions` all of them in their order, `held` what is
    published now. What is published and nobody decided on stays: only a decision withdraws. `retracted` says that the
    work was retracted; the files that were found for it say it too.
    """
    published = {each.url: each for each in held}
    seen = {address(each.url): each for each in candidates}
    last = {address(each.url): each for each in decisions}
    files = [each for each in published.values() if each.origin is FileOrigin.DISCOVERED and each.url not in last]
    files += [
        link
        for url, decision in last.items()
        if decision.verdict == "accept" and (link := _accepted(decision, seen.get(url), published.get(url)))
    ]
    files = [_offered(each, terms)._replace(retracted=retracted) for each in files]
    files += [
        link for url, each in seen.items() if each.found_by == NAMED and (link := _named(each, published.get(url)))
    ]
    return tuple(sorted(files, key=lambda each: each.url))


def _accepted(decision: Decision, candidate: Candidate | None, held: FileLink | None) -> FileLink | None:
    """Return an accepted file; None when nothing is known of the bytes that were accepted."""
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
    """Return what was learned of a file that the record names; None when it is not there."""
    if held is not None and (candidate.outcome in UNSEEN or held.sha256 == candidate.sha256):
        return held
    return _link(candidate) if candidate.outcome is Outcome.SUCCESS else None


def _link(candidate: Candidate) -> FileLink:
    return FileLink(
        address(candidate.url),
        candidate.mime_type,
        size=candidate.size,
        sha256=candidate.sha256,
        modified=candidate.modified,
        found_at=utc_datetime(candidate.at),
    )
