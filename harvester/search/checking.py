"""What a copy is that somebody told of: it is fetched, looked at, read, and held against what is known of the work."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from gateway.model import Candidate, FileLink, Outcome
from gateway.xmltext import utc_datetime
from harvester.discovery import Known
from harvester.discovery._visiting import Visit, is_pdf, visit
from harvester.verification.bytes import HTML, PDF, UNKNOWN
from harvester.verification.extraction import SECONDS, extract
from harvester.verification.judging import expected, judge
from harvester.wire.access import open_from_words
from harvester.wire.article_xml import is_article_xml
from harvester.wire.copies import Copy
from harvester.wire.dates import http_date
from harvester.wire.http import Fetch
from harvester.wire.license_hosts import is_trusted

# What a person may want to look at.
REVIEWED = (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT, Outcome.SUPPLEMENT)
Keep: TypeAlias = Callable[[bytes], None]
NAMED = "record"  # what told of the files that a record itself names


class Told(NamedTuple):
    """A copy, and the step that told of it."""

    step: str
    copy: Copy


def check(told: Told, known: Known, fetch: Fetch, at: int, keep: Keep = lambda _: None) -> Candidate:
    """Return what a copy is. One that may not be had yet is not asked for; what may be the work is kept."""
    today = utc_datetime(at)[:10]
    if told.copy.open_from > today:
        return withheld(told, at)
    candidate = _claimed(told, at)
    visited = visit(told.copy.url, fetch)
    candidate = _visited(candidate, visited)
    if visited.fetched is None or visited.outcome is not Outcome.SUCCESS:
        return candidate
    candidate = _read(candidate, visited, known)
    if candidate.open_from > today and candidate.outcome is not Outcome.WRONG_DOCUMENT:  # its cover page says so
        return candidate._replace(outcome=Outcome.EMBARGOED_UNTIL)
    if candidate.outcome in REVIEWED:
        keep(visited.fetched.body)
    return candidate


def withheld(told: Told, at: int) -> Candidate:
    """Return a copy that may not be had yet, and is not asked for."""
    return _claimed(told, at)._replace(outcome=Outcome.EMBARGOED_UNTIL)


def unasked(told: Told, at: int) -> Candidate:
    """Return a copy that is no PDF, or asks for a key: its address is kept, and nobody asks for it."""
    return _claimed(told, at)._replace(mime_type=told.copy.mime_type, outcome=_unasked(told.copy))


def _unasked(copy: Copy) -> Outcome:
    """Return what is said of a copy: its text in another form is something to come back to."""
    if copy.needs_key:
        return Outcome.SKIP_HOST
    if copy.says_xml:
        return Outcome.FULL_TEXT_XML
    return Outcome.FULL_TEXT_HTML if copy.says_html else Outcome.WRONG_MIMETYPE


def again(candidate: Candidate) -> Told:
    """Return what was told of a copy when it was looked at before."""
    copy = Copy(
        candidate.url,
        version=candidate.version,
        license=candidate.license,
        license_url=candidate.license_url,
        host_type=candidate.host_type,
        evidence=candidate.evidence,
    )
    return Told(candidate.found_by, copy)


def is_same(candidate: Candidate, fetch: Fetch, keep: Keep = lambda _: None) -> bool:
    """Tell whether a copy has the bytes that it had; these are kept, should ours have been deleted."""
    fetched = visit(candidate.url, fetch).fetched
    if fetched is None or sha256(fetched.body).hexdigest() != candidate.sha256:
        return False
    keep(fetched.body)
    return True


def look(link: FileLink, fetch: Fetch, at: int) -> Candidate:
    """Return what a file is that a record itself names: only its bytes are looked at, the record is believed."""
    candidate = Candidate(link.url, NAMED, license=link.license, at=at)
    visited = visit(link.url, fetch)
    candidate = _visited(candidate, visited)
    if visited.fetched is None or visited.outcome is not Outcome.SUCCESS:
        return candidate
    candidate = _held(candidate, visited)
    if candidate.mime_type == HTML or (link.mime_type == PDF and candidate.mime_type != PDF):
        return candidate._replace(outcome=Outcome.NOT_PDF if candidate.mime_type == HTML else Outcome.WRONG_MIMETYPE)
    is_told = link.mime_type != UNKNOWN  # what looks like a ZIP may be a text document: the record knows better
    return candidate._replace(mime_type=link.mime_type if is_told else candidate.mime_type)


def _other_form(visited: Visit) -> Outcome:
    """Return what bytes are that are no PDF: the article as XML or as a page, another page, or something else."""
    if visited.page is not None:
        return Outcome.FULL_TEXT_HTML if visited.page.is_article else Outcome.NOT_PDF
    is_article = visited.fetched is not None and is_article_xml(visited.fetched.body)
    return Outcome.FULL_TEXT_XML if is_article else Outcome.WRONG_MIMETYPE


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
        open_from=copy.open_from,
    )


def _visited(candidate: Candidate, visited: Visit) -> Candidate:
    """Return a copy with where its address led to, and whether robots.txt lets it be fetched."""
    last = visited.fetched
    robots = "denied" if visited.outcome is Outcome.ROBOTS_DENIED else last.robots if last else ""
    status = last.status if last else 0
    if not is_trusted(visited.url) and is_trusted(candidate.url):  # of the host that it leads to nobody has said it
        candidate = candidate._replace(license="", license_url="")
    return candidate._replace(
        outcome=visited.outcome, final_url=visited.url, hops=visited.hops, robots=robots, status=status
    )


def _held(candidate: Candidate, visited: Visit) -> Candidate:
    """Return a copy with what its bytes, and the answer that brought them, say of it."""
    assert visited.fetched is not None
    body = visited.fetched.body
    return candidate._replace(
        mime_type=visited.mime_type,
        size=len(body),
        sha256=sha256(body).hexdigest(),
        at=visited.fetched.received_at,
        modified=http_date(visited.fetched.header("Last-Modified")),
    )


def _read(candidate: Candidate, visited: Visit, known: Known) -> Candidate:
    assert visited.fetched is not None
    candidate = _held(candidate, visited)
    if not is_pdf(visited):
        return candidate._replace(outcome=_other_form(visited))
    wanted = expected(known.work, known.own_identifiers, known.described)
    seconds = float(known.settings.get("text_seconds", SECONDS))
    extracted = extract(visited.fetched.body, seconds)
    verdict = judge(extracted, wanted, visited.url)
    return candidate._replace(
        outcome=verdict.outcome,
        score=verdict.score,
        covered=verdict.covered,
        has_doi=verdict.has_doi,
        has_title=verdict.has_title,
        is_auxiliary=verdict.is_auxiliary,
        kind=verdict.kind,
        text_version=verdict.text_version,
        identified_by=verdict.identified_by,
        pages=verdict.pages,
        open_from=max(candidate.open_from, open_from_words(extracted.first)),
    )
