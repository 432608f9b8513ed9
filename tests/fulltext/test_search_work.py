"""A work goes through the steps: over the recorded answers, and to every outcome there is."""

import json
import signal
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from gateway.core.errors import (
    AddressRefused,
    AddressTakenDown,
    AnswerTooLarge,
    AnswerTooSlow,
    ConnectionFailed,
    NameUnknown,
    RobotsDenied,
    TlsFailed,
    TryLater,
)
from gateway.core.model import FileLink, Outcome, Work
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.pdf import extraction, reader
from harvester.fulltext.pdf.extraction import ENOUGH_WORDS
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from harvester.fulltext.steps import Step
from tests.fulltext.pdfs import a_locked_pdf
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, a_pdf, answer, recorded, to, work
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")


NOW = 1_700_000_000
PAGE = "https://repository.example.org/1"
FILE = "https://repository.example.org/1.pdf"
TITLE = "Coherence properties of quantum dot resonance fluorescence"
OF_QUANTUM_DOTS = "pdf/grobid__submission_363.pdf"


def searched(about, web, *, settings=SETTINGS, most_files: int = 6, only: tuple[Step, ...] = ()) -> SearchResult:
    return search(about, only or steps(), web, settings, at=NOW, most_files=most_files)


def test_the_doi_of_another_work_is_unmasked() -> None:
    described = {"message": {"DOI": "10.1234/x", "title": ["Something else entirely"]}}
    web = RecordedWeb({"https://api.crossref.org/works/10.1234/x": answer(json.dumps(described))}, has_recordings=False)
    result = searched(work("A title", relation="doi:10.1234/x"), web)
    assert result.traces[0][1:4] == (Outcome.WRONG_DOCUMENT, 0, "10.1234/x is another work's DOI.")
    assert [url for url in web.asked if "unpaywall" in url] == []
    described["message"]["title"] = ["A title: with more of it"]
    web = RecordedWeb({"https://api.crossref.org/works/10.1234/x": answer(json.dumps(described))}, has_recordings=False)
    assert searched(work("A title", relation="doi:10.1234/x"), web).traces[0].outcome is Outcome.NO_PDF_LINK


OTHER_DOI = "10.5555/other.1"


@each_row("element, text", [
    ("description", f"Published in: https://doi.org/{OTHER_DOI}"),
    ("rights", f"Citation: https://doi.org/{OTHER_DOI}"), ("relation", f"https://doi.org/{OTHER_DOI}"),
])  # fmt: skip
def test_a_doi_in_the_words_of_a_record_identifies_no_file_by_itself(element: str, text: str) -> None:
    named = work("A title of seven words or more", page=PAGE, creator="Reed, Ada", **{element: text})
    body = a_pdf(
        f"doi: {OTHER_DOI}", "Quite another study of rivers", "Ada Reed", "Abstract", *["We saw a title of words."] * 60
    )
    own = {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: answer(body)}
    assert "doi" not in searched(named, RecordedWeb(own, has_recordings=False)).candidates[0].identified_by
    described = {"message": {"DOI": OTHER_DOI, "title": ["A title of seven words or more"]}}
    own[f"https://api.crossref.org/works/{OTHER_DOI}"] = answer(json.dumps(described))
    assert "doi" in searched(named, RecordedWeb(own, has_recordings=False)).candidates[0].identified_by


def test_what_a_service_cannot_answer_now_leaves_the_search_open() -> None:
    web = RecordedWeb({"https://api.crossref.org/works/10.1234/x": answer(status=503)}, has_recordings=False)
    result = searched(work("T", doi="10.1234/x"), web)
    assert result.traces[0][1:4] == (Outcome.RATE_LIMITED, 0, "Crossref answers 503.")
    assert not result.is_over
    refusal = answer('{"message": "Use your own address."}', 422)
    web = RecordedWeb({"https://api.unpaywall.org/v2/10.1234/x": refusal}, has_recordings=False)
    result = searched(work("T", doi="10.1234/x"), web, only=(step_of("unpaywall"),))
    assert result.traces[0][1:4] == (Outcome.BAD_STATUS, 0, "Unpaywall answers 422: Use your own address.")


@pytest.mark.needs("../shared")
@each_row(
    "own",
    [
        {PAGE: answer("<p>x", Link=f'<{FILE}>; rel="item"; type="application/pdf"')},
        {PAGE: answer(f'<link rel="item" type="application/pdf" href="{FILE}">')},
        {
            PAGE: answer("<p>x", Link=f'<{PAGE}/links>; rel="linkset"; type="application/linkset+json"'),
            f"{PAGE}/links": answer(
                json.dumps({"linkset": [{"anchor": PAGE, "item": [{"href": FILE, "type": "application/pdf"}]}]})
            ),
        },
        {
            PAGE: answer('<a href="/view">Full text PDF</a>'),
            "https://repository.example.org/view": answer(f'<a href="{FILE}">PDF</a>'),
        },
        {
            PAGE: answer(f'<meta http-equiv="refresh" content="0;url={PAGE}/a">'),
            f"{PAGE}/a": answer(f'<a href="{FILE}">PDF</a>'),
        },
        {PAGE: to("/2"), "https://repository.example.org/2": to(FILE, 301)},
    ],
)
def test_a_page_leads_to_the_file(own: dict) -> None:
    web = RecordedWeb({FILE: recorded(OF_QUANTUM_DOTS), **own}, has_recordings=False)
    result = searched(work(TITLE, page=PAGE), web, only=(step_of("signposting"), step_of("landing_page")))
    assert result.outcome is Outcome.SUCCESS
    assert result.candidates[0].final_url == FILE


OTHER = "Guidelines for the Use of Adjuvants in Laboratory Animals of Portland"
HALF = ("quantum dot resonance of coherence", *["about something else and other things beside"] * (ENOUGH_WORDS // 6))
CLOSED = {"https://api.unpaywall.org/v2/10.1234/x": answer('{"doi": "10.1234/x", "is_oa": false, "oa_locations": []}')}
V = "https://repository.example.org/v"
SAYS_V = answer('<a href="/v">PDF</a>')
ENDLESS = {f"{PAGE[:-1]}{n}": to(f"/{n + 1}") for n in range(1, 20)}
A_PDF = answer(b"%PDF-1.4")
LATIN = answer(a_pdf(*["lorem ipsum dolor sit amet"] * 30))
WITH_FILE = {PAGE: answer(f'<a href="{FILE}">PDF</a>')}

WHITE = {"items": [{"publisher_policy": [{"open_access_prohibited": "yes", "permitted_oa": []}]}]}
ASKED = "https://api.openpolicyfinder.jisc.ac.uk/retrieve?item-type=publication&format=Json&filter="
FORBIDDEN = {
    f'{ASKED}[["issn","equals","0378-5955"]]': answer(json.dumps(WHITE)),
    f"{PAGE}/linked": answer(a_pdf(*[TITLE] * 60)),
    PAGE: answer("<p>x", Link=f'<{PAGE}/linked>; rel="item"; type="application/pdf"'),
}

ARTICLE = f"<h1>{TITLE}</h1>" + "<p>It grows where nobody looks at it.</p>" * 700
AT_THE_FILE = {
    Outcome.ROBOTS_DENIED: RobotsDenied("x"), Outcome.PRIVATE_ADDRESS: AddressRefused("x"),
    Outcome.TAKEN_DOWN: AddressTakenDown("x"), Outcome.DNS_ERROR: NameUnknown("x"), Outcome.TLS_ERROR: TlsFailed("x"),
    Outcome.TIMEOUT: AnswerTooSlow("x"), Outcome.BODY_TOO_LARGE: AnswerTooLarge("x"),
    Outcome.RATE_LIMITED: TryLater("x"), Outcome.BAD_STATUS: ConnectionFailed("x"),
    Outcome.FORBIDDEN: answer("<p>no", 403), Outcome.NOT_FOUND: answer("<p>no", 404),
    Outcome.GONE: answer("<p>no", 410), Outcome.REDIRECT_LOOP: to(FILE),
    Outcome.BLOCKED_CAPTCHA: answer("<title>Just a moment...</title>", 403),
    Outcome.BLOCKED_COOKIE: to("https://repository.example.org/cookieAbsent"),
    Outcome.BLOCKED_WALL: to("https://repository.example.org/idp/profile"),
    Outcome.SKIP_HOST: to("https://www.researchgate.net/1"),
    Outcome.BAD_SCHEME: to("ftp://repository.example.org/1.pdf"), Outcome.EMPTY_BODY: answer(b""),
    Outcome.NOT_PDF: answer("<p>not what it said", Content_Type="application/pdf"),
    Outcome.WRONG_MIMETYPE: answer(b"PK\x03\x04"),
    Outcome.FULL_TEXT_XML: answer("<article><front/><body><p>It is here.</p></body></article>"),
    Outcome.FULL_TEXT_HTML: answer(ARTICLE),
}  # fmt: skip


LATER = {
    "URL": "http://creativecommons.org/licenses/by/4.0/",
    "content-version": "am",
    "start": {"date-time": "2099-01-01T00:00:00Z"},
}
AM = {"URL": FILE, "content-version": "am", "intended-application": "text-mining"}
CROSSREF = "https://api.crossref.org/works/10.1234/x"
EMBARGOED = answer(json.dumps({"message": {"DOI": "10.1234/x", "title": [TITLE], "link": [AM], "license": [LATER]}}))


class Case(NamedTuple):
    """A work, and the web that it is searched for in."""

    about: Work
    own: Mapping[str, Answer]


OF_PAGE = work(TITLE, page=PAGE)
CASES = {
    **{outcome: Case(OF_PAGE, {**WITH_FILE, FILE: response}) for outcome, response in AT_THE_FILE.items()},  # type: ignore[dict-item]
    Outcome.SUCCESS: Case(OF_PAGE, {**WITH_FILE, FILE: answer(a_pdf(*[TITLE] * 60))}),
    Outcome.POLICY_FORBIDS: Case(work(TITLE, page=PAGE, source="ISSN 0378-5955"), FORBIDDEN),
    Outcome.ALREADY_HELD: Case(work(TITLE)._replace(files=(FileLink(FILE),)), {}),
    Outcome.NO_DOI: Case(work(TITLE), {}),
    Outcome.NOT_OA: Case(work(TITLE, doi="10.1234/x"), CLOSED),
    Outcome.EMBARGOED_UNTIL: Case(work(TITLE, doi="10.1234/x"), {CROSSREF: EMBARGOED}),
    Outcome.NO_PDF_LINK: Case(OF_PAGE, {PAGE: answer("<p>nothing")}),
    Outcome.LINK_LOOP: Case(OF_PAGE, {PAGE: SAYS_V, V: answer('<a href="/1">PDF</a>')}),
    Outcome.MAX_HOPS: Case(OF_PAGE, {PAGE: SAYS_V, V: answer('<a href="/w">PDF</a>')}),
    Outcome.TOO_MANY_REDIRECTS: Case(OF_PAGE, ENDLESS),
    Outcome.WRONG_DOCUMENT: Case(work(OTHER, page=PAGE), {**WITH_FILE, FILE: LATIN}),
    Outcome.LOW_SCORE: Case(OF_PAGE, {**WITH_FILE, FILE: answer(a_pdf(*HALF))}),
    Outcome.SUPPLEMENT: Case(OF_PAGE, {**WITH_FILE, FILE: answer(a_pdf("Supporting Information", *[TITLE] * 60))}),
    Outcome.NO_TEXT: Case(OF_PAGE, {**WITH_FILE, FILE: answer(a_pdf("few words"))}),
    Outcome.BROKEN_PDF: Case(OF_PAGE, {**WITH_FILE, FILE: answer(b"%PDF-1.4 and nothing")}),
    Outcome.ENCRYPTED_PDF: Case(OF_PAGE, {**WITH_FILE, FILE: answer(a_locked_pdf())}),
    Outcome.PARSE_TIMEOUT: Case(OF_PAGE, {**WITH_FILE, FILE: A_PDF}),
    Outcome.PARSE_MEMORY: Case(OF_PAGE, {**WITH_FILE, FILE: A_PDF}),
}


# How the process that reads files ends, where that is told by how it ends (tests/fulltext/pdf kills such processes).
ENDS = {Outcome.PARSE_MEMORY: reader.NO_MEMORY, Outcome.PARSE_TIMEOUT: -signal.SIGXCPU}


# That of a fault of our own is that of what runs the searches (test_discovering.py).
@each_row("outcome", [outcome for outcome in Outcome if outcome is not Outcome.FAULT])
def test_every_outcome_is_that_of_a_search(monkeypatch, outcome: Outcome) -> None:
    """An outcome that nobody has a work for fails here."""
    case = CASES[outcome]
    web = RecordedWeb(case.own, has_recordings=False)
    with monkeypatch.context() as patches:
        if outcome in ENDS:
            patches.setattr(extraction, "_child", lambda *_: (ENDS[outcome], b"\n"))
        result = searched(case.about, web)
    assert result.outcome is outcome
    if outcome in AT_THE_FILE:
        assert result.candidates[0].outcome is outcome
        assert result.is_over is (outcome not in ("rate-limited", "timeout", "dns-error", "bad-status", "tls-error"))
    if outcome is Outcome.EMBARGOED_UNTIL:
        assert FILE not in web.asked
