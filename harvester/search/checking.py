"""What a copy is that somebody told of: it is fetched, looked at, read, and held against what is known of the work."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from gateway.model import Candidate, Outcome
from gateway.xmltext import utc_datetime
from harvester.discovery import Known
from harvester.discovery._visiting import Visit, is_pdf, visit
from harvester.verification.bytes import HTML
from harvester.verification.extraction import extract
from harvester.verification.judging import expected, judge
from harvester.wire.copies import Copy
from harvester.wire.http import Fetch


class Told(NamedTuple):
    """A copy, and the step that told of it."""

    step: str
    copy: Copy


def check(told: Told, known: Known, fetch: Fetch, at: int) -> Candidate:
    """Return what a copy is. One that may not be had yet is not asked for."""
    candidate = _claimed(told, at)
    if told.copy.open_from > utc_datetime(at)[:10]:
        return candidate._replace(outcome=Outcome.EMBARGOED_UNTIL)
    visited = visit(told.copy.url, fetch)
    candidate = candidate._replace(outcome=visited.outcome, final_url=visited.url, hops=visited.hops)
    if visited.fetched is None or visited.outcome is not Outcome.SUCCESS:
        return candidate
    return _read(candidate, visited, known)


def _claimed(told: Told, at: int) -> Candidate:
    copy = told.copy
    return Candidate(
        copy.url,
        told.step,
        copy.evidence,
        version=copy.version,
        license=copy.license,
        license_url=copy.license_url,
        host_type=copy.host_type,
        at=at,
    )


def _read(candidate: Candidate, visited: Visit, known: Known) -> Candidate:
    assert visited.fetched is not None
    body = visited.fetched.body
    candidate = candidate._replace(
        mime_type=visited.mime_type, size=len(body), sha256=sha256(body).hexdigest(), at=visited.fetched.received_at
    )
    if not is_pdf(visited):
        return candidate._replace(outcome=Outcome.NOT_PDF if visited.mime_type == HTML else Outcome.WRONG_MIMETYPE)
    wanted = expected(known.work, known.identifiers.all("doi"), known.described)
    verdict = judge(extract(body), wanted, visited.url)
    return candidate._replace(
        outcome=verdict.outcome,
        score=verdict.score,
        covered=verdict.covered,
        has_doi=verdict.has_doi,
        has_title=verdict.has_title,
        is_auxiliary=verdict.is_auxiliary,
    )
