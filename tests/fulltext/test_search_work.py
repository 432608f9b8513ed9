"""A work goes through the steps: over the recorded answers, and to every outcome there is."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

import pytest

from gateway.errors import (
    AddressRefused,
    AddressTakenDown,
    AnswerTooLarge,
    AnswerTooSlow,
    ConfigurationError,
    ConnectionFailed,
    NameUnknown,
    RobotsDenied,
    TlsFailed,
    TryLater,
)
from gateway.fulltext.search_result import RECHECK, SearchResult
from gateway.model import Candidate, FileLink, Outcome, Work
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.known_copies import Copy, Description, Related
from harvester.fulltext.pdf import extraction, reader
from harvester.fulltext.pdf.extraction import ENOUGH_WORDS
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from harvester.fulltext.steps import Known, Step, StepResult
from tests.conftest import ROOT
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


def test_every_file_of_the_folder_is_a_step_with_a_sentence() -> None:
    names = {file.stem for file in (ROOT / "harvester" / "fulltext" / "steps").glob("[!_]*.py")}
    # `base` would not say that it is the service BASE; traces of earlier releases have the name `sherpa`.
    names = names - {"base_search", "publisher_policy"} | {"base", "sherpa"}
    assert {step.name for step in steps()} == names
    assert all(step.sentence.endswith(".") for step in steps())
    assert [step.name for step in steps()][:2] == ["crossref", "crossref_match"]
    assert step_of("crossref") is steps()[0]
    with pytest.raises(ConfigurationError, match=r"no step 'x'\. Write one of: crossref, crossref_match"):
        step_of("x")


EFSA = "10.2903/j.efsa.2014.3550"


@pytest.mark.needs("../shared")
def test_a_work_is_found_through_crossref_and_held_against_its_metadata() -> None:
    link = "http://doi.wiley.com/10.2903/j.efsa.2014.3550"
    result = searched(
        work("Endogenous formaldehyde turnover in humans", doi=EFSA, page=PAGE),
        RecordedWeb(
            {
                PAGE: answer(f'<meta name="citation_pdf_url" content="{FILE}">'),
                FILE: recorded("pdf/crminer__10.2903%2Fj.efsa.2014.3550.pdf"),
                link: to(FILE),
            }
        ),
    )
    assert result.outcome is Outcome.SUCCESS
    best = next(candidate for candidate in result.candidates if candidate.outcome is Outcome.SUCCESS)
    assert (best.found_by, best.evidence, best.mime_type, best.size) == (
        "landing_page",
        "meta:citation_pdf_url",
        "application/pdf",
        273_420,
    )
    assert best.has_doi
    assert best.score > 0.5
    assert len(best.sha256) == 64


@pytest.mark.needs("../shared")
def test_the_same_file_is_another_document_for_another_work() -> None:
    result = searched(
        work("The state of OA: a large-scale analysis", doi="10.7717/peerj.4375"),
        RecordedWeb({"https://peerj.com/articles/4375.pdf": recorded(OF_QUANTUM_DOTS)}),
    )
    assert result.outcome is Outcome.WRONG_DOCUMENT


@pytest.mark.needs("../shared")
def test_every_recorded_work_of_crossref_goes_through_to_an_outcome() -> None:
    dois = [
        "10.1016/j.ad.2015.06.020",
        "10.1155/mbd.1994.183",
        "10.3897/bdj.4.e9287",
        "10.7717/peerj.1268",
        "10.7554/elife.01567",
    ]
    for doi in dois:
        result = searched(work(doi=doi), RecordedWeb())
        assert result.traces[0][:2] == ("crossref", result.traces[0].outcome)
        assert result.traces[0].outcome in (Outcome.SUCCESS, Outcome.NO_PDF_LINK)
        assert result.outcome is not Outcome.SUCCESS  # their files were not recorded


@pytest.fixture
def quantum_dots() -> RecordedWeb:
    return RecordedWeb(
        {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: recorded(OF_QUANTUM_DOTS)}, has_recordings=False
    )


@pytest.mark.needs("../shared")
def test_once_the_file_is_found_nobody_else_is_asked_for_one(quantum_dots: RecordedWeb) -> None:
    about = work(TITLE, doi="10.48550/arxiv.1109.1201")
    web = RecordedWeb({"https://arxiv.org/pdf/1109.1201": recorded(OF_QUANTUM_DOTS)}, has_recordings=False)
    result = searched(about, web)
    assert result.outcome is Outcome.SUCCESS
    assert [trace.step for trace in result.traces] == ["crossref", "datacite", "unpaywall", "recipes"]
    assert result.candidates[0].version == "submitted"


def test_a_step_without_its_key_is_switched_off_with_a_note() -> None:
    result = searched(
        work("A title", doi="10.1234/x", source="ISSN 0378-5955"), RecordedWeb(has_recordings=False), settings={}
    )
    off = {trace.step: trace.note for trace in result.traces if trace.note}
    assert off == {
        "unpaywall": "Not asked: the setting discover_email is empty.",
        "core": "Not asked: the setting discover_core_key is empty.",
        "base": "Not asked: the setting discover_base_key is empty.",
        "semantic_scholar": "Not asked: the setting discover_semantic_scholar_key is empty.",
    }


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


@each_row("title", [TITLE, "Turbidity of seasonal snowmelt in alpine rivers"])
def test_versions_of_a_doi_in_the_words_of_a_record_are_believed_with_its_title(title: str) -> None:
    named = work(TITLE, description=f"Published in: https://doi.org/{OTHER_DOI}")
    version = Related("has-preprint", "doi", "10.5555/preprint.1")
    known = Known(named, identifiers_of(named), described=(Description(OTHER_DOI, title, related=(version,)),))
    assert known.versions == ((version,) if title == TITLE else ())


@pytest.mark.needs("../shared")
def test_the_policy_is_asked_for_by_the_issn_of_the_record_or_of_crossref() -> None:
    asked = 'https://api.openpolicyfinder.jisc.ac.uk/retrieve?item-type=publication&format=Json&filter=[["issn","equals","0140-6736"]]'
    own = {asked: recorded("sherpa/v2/DSpace__thelancet.json"), FILE: answer(a_pdf(*[TITLE] * 60))}
    web = RecordedWeb({**own, PAGE: answer(f'<a href="{FILE}">PDF</a>')}, has_recordings=False)
    result = searched(work(TITLE, page=PAGE, source="ISSN 0140-6736"), web)
    assert result.policy is not None
    assert result.policy.title == "The Lancet"
    assert result.traces[-1].note.startswith("The Lancet is green. Into a repository: ")


def test_what_a_service_cannot_answer_now_leaves_the_search_open() -> None:
    web = RecordedWeb({"https://api.crossref.org/works/10.1234/x": answer(status=503)}, has_recordings=False)
    result = searched(work("T", doi="10.1234/x"), web)
    assert result.traces[0][1:4] == (Outcome.RATE_LIMITED, 0, "Crossref answers 503.")
    assert not result.is_over
    refusal = answer('{"message": "Use your own address."}', 422)
    web = RecordedWeb({"https://api.unpaywall.org/v2/10.1234/x": refusal}, has_recordings=False)
    result = searched(work("T", doi="10.1234/x"), web, only=(step_of("unpaywall"),))
    assert result.traces[0][1:4] == (Outcome.BAD_STATUS, 0, "Unpaywall answers 422: Use your own address.")


def test_subjects_of_crossref_count_and_at_most_so_many_of_its_files_are_fetched() -> None:
    links = [
        {"URL": f"https://x.example.org/{n}.pdf", "content-version": "vor", "intended-application": "text-mining"}
        for n in range(9)
    ]
    described = {"DOI": "10.1234/X", "title": [TITLE], "link": links, "subject": ["Ecology", "Ecology", "Physics"]}
    known = answer(json.dumps({"message": described}))
    web = RecordedWeb({"https://api.crossref.org/works/10.1234/x": known}, has_recordings=False)
    result = searched(work(TITLE, doi="10.1234/x"), web, most_files=2)
    assert (result.subjects, len(result.candidates)) == (("Ecology", "Physics"), 2)


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


def test_a_handle_is_resolved() -> None:
    web = RecordedWeb(has_recordings=False)
    searched(work(identifier="http://x.example.org/handle/10267/44"), web)
    assert "https://hdl.handle.net/10267/44" in web.asked


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
    Outcome.ROBOTS_DENIED: RobotsDenied("x"),
    Outcome.PRIVATE_ADDRESS: AddressRefused("x"),
    Outcome.TAKEN_DOWN: AddressTakenDown("x"),
    Outcome.DNS_ERROR: NameUnknown("x"),
    Outcome.TLS_ERROR: TlsFailed("x"),
    Outcome.TIMEOUT: AnswerTooSlow("x"),
    Outcome.BODY_TOO_LARGE: AnswerTooLarge("x"),
    Outcome.RATE_LIMITED: TryLater("x"),
    Outcome.BAD_STATUS: ConnectionFailed("x"),
    Outcome.FORBIDDEN: answer("<p>no", 403),
    Outcome.NOT_FOUND: answer("<p>no", 404),
    Outcome.GONE: answer("<p>no", 410),
    Outcome.REDIRECT_LOOP: to(FILE),
    Outcome.BLOCKED_CAPTCHA: answer("<title>Just a moment...</title>", 403),
    Outcome.BLOCKED_COOKIE: to("https://repository.example.org/cookieAbsent"),
    Outcome.BLOCKED_WALL: to("https://repository.example.org/idp/profile"),
    Outcome.SKIP_HOST: to("https://www.researchgate.net/1"),
    Outcome.BAD_SCHEME: to("ftp://repository.example.org/1.pdf"),
    Outcome.EMPTY_BODY: answer(b""),
    Outcome.NOT_PDF: answer("<p>not what it said", Content_Type="application/pdf"),
    Outcome.WRONG_MIMETYPE: answer(b"PK\x03\x04"),
    Outcome.FULL_TEXT_XML: answer("<article><front/><body><p>It is here.</p></body></article>"),
    Outcome.FULL_TEXT_HTML: answer(ARTICLE),
}


def test_a_page_that_redirects_to_a_login_elsewhere_has_its_own_host_on_the_way() -> None:
    web = RecordedWeb({PAGE: to("https://login.example.net/idp/profile")}, has_recordings=False)
    result = searched(work(TITLE, page=PAGE), web)
    ends = {(trace.outcome, trace.host, trace.way) for trace in result.traces if trace.step == "signposting"}
    assert ends == {(Outcome.BLOCKED_WALL, "login.example.net", ("repository.example.org",))}


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


@each_row("outcome, own", [
    (Outcome.WRONG_MIMETYPE, {PAGE: answer(b"PK\x03\x04")}), (Outcome.BAD_SCHEME, {PAGE: to("http://[")}),
    (Outcome.BODY_TOO_LARGE, {PAGE: answer("<p>" + "x" * 5_000_001)}),
])  # fmt: skip
def test_a_page_that_is_none_has_its_outcome(outcome: Outcome, own: dict) -> None:
    assert searched(OF_PAGE, RecordedWeb(own, has_recordings=False)).outcome is outcome


@pytest.mark.needs("../shared")
def test_a_recorded_file_with_a_password_has_its_outcome() -> None:
    web = RecordedWeb({**WITH_FILE, FILE: recorded("pdf/pdfminer.six__rc4-128.pdf")}, has_recordings=False)
    assert searched(OF_PAGE, web).outcome is Outcome.ENCRYPTED_PDF


OTHER = "https://repository.example.org/2.pdf"


def _step(name: str, *urls: str, is_for_files: bool = True) -> Step:
    """Return a step that names copies."""
    result = StepResult(Outcome.SUCCESS, tuple(map(Copy, urls)))
    return Step(name, 1, "It names copies.", lambda _: True, lambda *_: result, is_for_files=is_for_files)


def _accepted(url: str, body: bytes) -> Candidate:
    return Candidate(url, "elsewhere", sha256=sha256(body).hexdigest(), outcome=Outcome.SUCCESS)


def test_a_step_that_names_an_accepted_copy_when_no_file_may_be_fetched_any_more_does_no_harm() -> None:
    """It raised StopIteration: the copy was taken as looked at, and was not."""
    web = RecordedWeb({FILE: answer(b"no PDF"), OTHER: answer(b"another file now")}, has_recordings=False)
    result = search(
        work("T"), (_step("first", FILE), _step("later", OTHER)), web, SETTINGS,
        at=NOW, most_files=1, accepted=[_accepted(OTHER, b"what it was")],
    )  # fmt: skip
    assert [candidate.url for candidate in result.candidates] == [FILE, OTHER]
    assert result.candidates[1].sha256 == sha256(b"another file now").hexdigest()
    assert result.traces[-1].step == RECHECK


def test_an_accepted_copy_is_looked_at_although_only_a_service_that_is_not_for_files_names_it() -> None:
    """Its dead link and its old digest stayed published: another copy was found first."""
    good = a_pdf(*[TITLE] * ENOUGH_WORDS)
    web = RecordedWeb({FILE: answer(good, Content_Type="application/pdf")}, has_recordings=False)
    about = _step("describes", OTHER, is_for_files=False)
    result = search(
        work(TITLE), (about,), web, SETTINGS,
        at=NOW, most_files=6, accepted=[_accepted(FILE, good), _accepted(OTHER, b"what it was")],
    )  # fmt: skip
    assert {candidate.url: candidate.outcome for candidate in result.candidates} == {
        FILE: Outcome.SUCCESS,
        OTHER: Outcome.NOT_FOUND,
    }
