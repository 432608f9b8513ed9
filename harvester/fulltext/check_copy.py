"""Check of a copy that a step has named: it is fetched, read, and compared with the work."""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from io import BytesIO
from typing import NamedTuple, TypeAlias
from zipfile import is_zipfile

from gateway.core.model import Candidate, DocumentKind, FileLink, Outcome
from gateway.core.xmltext import clean, utc_datetime
from gateway.formats._file_links import file_type
from gateway.fulltext.search_result import NAMED, REVIEWED
from harvester.fulltext.access_rights import future_day_in, open_from_words
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages.article_xml import is_article_xml, text_of_article
from harvester.fulltext.pdf.extraction import SECONDS, Extracted, extract
from harvester.fulltext.pdf.file_claims import claims_of
from harvester.fulltext.pdf.file_type import HTML, PDF, UNKNOWN, XML
from harvester.fulltext.pdf.judge import JUDGE, expected, judge
from harvester.fulltext.rights_words import is_trusted
from harvester.fulltext.steps import Known
from harvester.fulltext.steps._visit import Visit, is_pdf, visit
from harvester.http.dates import http_date
from harvester.http.messages import Fetch

# Statements about a copy, by the names of their fields in `Copy` and `Candidate`.
_STATED = (
    "evidence", "version", "license", "license_url", "host_type", "doubt", "restriction", "retracted", "is_supplement",
    "beside",
)  # fmt: skip
# Parts of a verdict, by the names of their fields in `Verdict` and `Candidate`.
_JUDGED = (
    "outcome", "likeness", "has_doi", "has_title", "is_auxiliary", "kind", "text_version", "identified_by", "pages",
)  # fmt: skip
# Types of supplements: what is an archive, what is never text, and what says little, by the beginning of the bytes.
_ZIP, _TEXTS = "application/zip", ("text/plain", XML)
_ZIPPED = re.compile(r"^application/(?:zip$|epub\+zip$|vnd\.(?:openxmlformats-|oasis\.opendocument))")
_NOT_TEXT = re.compile(r"(?:audio|image|video)/(?!svg)|application/(?:gzip|msword|vnd\.ms-)")
_VAGUE = (UNKNOWN, _ZIP, "application/gzip", "application/msword", *_TEXTS)
Keep: TypeAlias = Callable[[bytes], None]
# A function that gets the SHA-256 of a file that was read, and the beginning of its text.
KeepText: TypeAlias = Callable[[str, str], None]


class Offer(NamedTuple):
    """A copy, and the step that names it."""

    step: str
    copy: Copy


def check(
    offer: Offer,
    known: Known,
    fetch: Fetch,
    at: int,
    keep: Keep = lambda _: None,
    keep_text: KeepText = lambda *_: None,
) -> Candidate:
    """Return the result of fetching and comparing a copy; `at` is now, in Unix seconds.

    A copy under an embargo is not fetched. A supplement is not compared: it must be a whole file of its type. `keep`
    gets the bytes of a file that may be the work, or of a supplement, and `keep_text` the beginning of every text.
    Failures of a server or a file are outcomes, not errors. Raise ConfigurationError when the process that reads PDF
    files cannot start.
    """
    today = utc_datetime(at)[:10]
    if offer.copy.open_from > today:
        return withheld(offer, at)
    candidate = _claimed(offer, at)
    visited = visit(offer.copy.url, fetch, may_be_refused=offer.copy.is_for_mining)
    candidate = _visited(candidate, visited)
    if visited.fetched is None or visited.outcome is not Outcome.SUCCESS:
        return candidate
    if offer.copy.is_supplement:
        candidate = _supplement(candidate, visited)
    else:
        candidate = _read(candidate, visited, known, today, keep_text)
    if candidate.outcome in REVIEWED:
        keep(visited.fetched.body)
    return candidate


def withheld(offer: Offer, at: int) -> Candidate:
    """Return the candidate for a copy under an embargo, which is not fetched."""
    return _claimed(offer, at)._replace(outcome=Outcome.EMBARGOED_UNTIL)


def unasked(offer: Offer, at: int) -> Candidate:
    """Return the candidate for a copy that is not fetched: not a PDF, needs a key, or its host refuses."""
    return _claimed(offer, at)._replace(mime_type=offer.copy.mime_type, outcome=_unasked(offer.copy))


def _unasked(copy: Copy) -> Outcome:
    """Return why a copy is not fetched."""
    if copy.needs_key:
        return Outcome.SKIP_HOST
    if copy.says_xml:
        return Outcome.FULL_TEXT_XML
    if copy.says_html:
        return Outcome.FULL_TEXT_HTML
    return Outcome.WRONG_MIMETYPE if copy.is_other_type else Outcome.SKIP_HOST


def again(candidate: Candidate) -> Offer:
    """Return the offer of a copy that was checked before, as its step named it then."""
    return Offer(candidate.found_by, Copy(candidate.url, **{name: getattr(candidate, name) for name in _STATED}))


def is_same(candidate: Candidate, fetch: Fetch, keep: Keep = lambda _: None) -> bool:
    """Return whether a copy still has the same bytes. `keep` gets them: our own copy may have been deleted."""
    fetched = visit(candidate.url, fetch).fetched
    if fetched is None or sha256(fetched.body).hexdigest() != candidate.sha256:
        return False
    keep(fetched.body)
    return True


def check_named(link: FileLink, fetch: Fetch, at: int) -> Candidate:
    """Return the result of fetching a file that the record itself names. It is not compared with the record."""
    candidate = Candidate(link.url, NAMED, license=link.license, at=at)
    visited = visit(link.url, fetch)
    candidate = _visited(candidate, visited)
    if visited.fetched is None or visited.outcome is not Outcome.SUCCESS:
        return candidate
    candidate = _held(candidate, visited)
    if candidate.mime_type == HTML or (link.mime_type == PDF and candidate.mime_type != PDF):
        return candidate._replace(outcome=Outcome.NOT_PDF if candidate.mime_type == HTML else Outcome.WRONG_MIMETYPE)
    is_stated = link.mime_type != UNKNOWN  # a ZIP may be a text document: the type in the record counts
    return candidate._replace(mime_type=link.mime_type if is_stated else candidate.mime_type)


def _other_form(visited: Visit) -> Outcome:
    """Return the outcome for bytes that are not a PDF: the article as XML or HTML, another page, or another type."""
    if visited.page is not None:
        return Outcome.FULL_TEXT_HTML if visited.page.is_article else Outcome.NOT_PDF
    is_article = visited.fetched is not None and is_article_xml(visited.fetched.body)
    return Outcome.FULL_TEXT_XML if is_article else Outcome.WRONG_MIMETYPE


def _claimed(offer: Offer, at: int) -> Candidate:
    stated = {name: getattr(offer.copy, name) for name in (*_STATED, "open_from")}
    return Candidate(offer.copy.url, offer.step, at=at, **stated)


def _visited(candidate: Candidate, visited: Visit) -> Candidate:
    """Return a candidate with its final address and the verdict of robots.txt."""
    last = visited.fetched
    robots = "denied" if visited.outcome is Outcome.ROBOTS_DENIED else last.robots if last else ""
    status = last.status if last else 0
    if not is_trusted(visited.url) and is_trusted(candidate.url):  # the statement is not about the final host
        candidate = candidate._replace(license="", license_url="")
    return candidate._replace(
        outcome=visited.outcome, final_url=visited.url, hops=visited.hops, robots=robots, status=status
    )


def _held(candidate: Candidate, visited: Visit) -> Candidate:
    """Return a candidate with facts from its bytes and its answer."""
    assert visited.fetched is not None
    body = visited.fetched.body
    return candidate._replace(
        mime_type=visited.mime_type,
        size=len(body),
        sha256=sha256(body).hexdigest(),
        at=visited.fetched.received_at,
        modified=http_date(visited.fetched.header("Last-Modified")),
    )


def _read(candidate: Candidate, visited: Visit, known: Known, today: str, keep_text: KeepText) -> Candidate:
    assert visited.fetched is not None
    candidate = _held(candidate, visited)
    if not is_pdf(visited):
        outcome = _other_form(visited)
        if outcome is Outcome.FULL_TEXT_XML:
            keep_text(candidate.sha256, first_page_of(text_of_article(visited.fetched.body)))
        return candidate._replace(outcome=outcome)
    return judged(candidate, visited.fetched.body, known, today, keep_text)


def _supplement(candidate: Candidate, visited: Visit) -> Candidate:
    """Return a supplement with its facts, if its bytes are a whole file of the stated type, and not a page."""
    assert visited.fetched is not None
    candidate, body = _held(candidate, visited), visited.fetched.body
    sent = visited.fetched.header("Content-Type").partition(";")[0].strip().lower()
    types = (file_type(visited.url), file_type(candidate.url), sent)
    stated = next((type_ for type_ in types if type_ not in ("", UNKNOWN, HTML)), "")
    if visited.mime_type == HTML:
        return candidate._replace(outcome=Outcome.WRONG_MIMETYPE)
    if PDF in (stated, visited.mime_type):
        outcome = extract(body).outcome if is_pdf(visited) else Outcome.NOT_PDF
        if outcome in (Outcome.NOT_PDF, Outcome.BROKEN_PDF, Outcome.ENCRYPTED_PDF):
            return candidate._replace(outcome=outcome)
    elif visited.mime_type == _ZIP or _ZIPPED.search(stated):
        if not is_zipfile(BytesIO(body)):
            return candidate._replace(outcome=Outcome.WRONG_MIMETYPE)
    elif _NOT_TEXT.match(stated) and visited.mime_type in _TEXTS:  # a message of the server
        return candidate._replace(outcome=Outcome.WRONG_MIMETYPE)
    return candidate._replace(
        outcome=Outcome.SUPPLEMENT,
        mime_type=stated if stated and visited.mime_type in _VAGUE else visited.mime_type,
        is_auxiliary=True,
        kind=str(DocumentKind.SUPPLEMENT),
        judge=JUDGE,
        has_read_claims=True,
    )


def judged(candidate: Candidate, body: bytes, known: Known, today: str, keep_text: KeepText) -> Candidate:
    """Return a candidate with the verdict on its bytes, which are a PDF. Raise ConfigurationError as `check`."""
    wanted = expected(known.work, known.own_identifiers, known.own_described)
    seconds = float(known.settings.get("text_seconds", SECONDS))
    extracted = extract(body, seconds)
    if text := first_page_of(extracted.front or extracted.first):
        keep_text(candidate.sha256, text)
    verdict = judge(extracted, wanted, candidate.final_url)
    day = future_day_in(extracted.front or extracted.first, today)
    doubt = f"Its first page names a day in the future, {day}: perhaps not everybody may have it before." if day else ""
    candidate = _claiming(candidate, extracted, wanted.titles)._replace(
        **{name: getattr(verdict, name) for name in _JUDGED},
        judge=JUDGE,
        kind_doubt=verdict.doubt or doubt,
        open_from=max(candidate.open_from, open_from_words(extracted.first)),
    )
    if candidate.open_from > today and candidate.outcome is not Outcome.WRONG_DOCUMENT:  # by its cover page
        return candidate._replace(outcome=Outcome.EMBARGOED_UNTIL)
    return candidate


def _claiming(candidate: Candidate, extracted: Extracted, titles: Iterable[str]) -> Candidate:
    """Return a candidate with the claims of its file. A licence that the file contradicts is removed.

    The one licence that the file states for itself counts if no page or service states one.
    """
    claims = claims_of(extracted, titles)
    doubt = claims.doubt(candidate.license)
    if doubt:
        candidate = candidate._replace(license="", license_url="", doubt=doubt)
    elif not candidate.license and not candidate.doubt and len(claims.licenses) == 1:
        (license_,) = claims.licenses
        candidate = candidate._replace(license="" if claims.doubt(license_) else license_)
    return candidate._replace(
        restriction=claims.restriction or candidate.restriction,
        retracted=claims.retracted or candidate.retracted,
        has_read_claims=True,
    )


# --- The beginning of the text of a file, for the people who decide on it. Pure --------------------------------------

MOST_BYTES = 4_000  # in UTF-8
# Controls, and characters that change the direction of a text or cannot be seen at all.
_UNSEEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def first_page_of(text: str) -> str:
    """Return the first 4 kB of a text: its lines that are not empty, with white space folded, and nothing unseen."""
    lines = (" ".join(_UNSEEN.sub("", line.replace("\t", " ")).split()) for line in clean(text).splitlines())
    return cut("\n".join(filter(None, lines)))


def cut(text: str) -> str:
    """Return as much of a text as fits into 4 kB, without half a character."""
    return text.encode("utf-8")[:MOST_BYTES].decode("utf-8", "ignore").rstrip()
