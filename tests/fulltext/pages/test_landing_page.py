"""Which link of a page leads to the file: recorded pages, synthetic ones for other systems, and pages without end."""

from collections.abc import Callable

import pytest

from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_page
from harvester.fulltext.pages.landing_page import MOST_DEEP, MOST_TAGS, affordable, obstacle, read
from harvester.http.urls import site_of
from tests.fulltext.platforms import Platform, answer, platforms
from tests.fulltext.recorded_pages import PAGES, Recorded
from tests.fulltext.web import body
from tests.growth import is_more_than_linear
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")


@needs_data
@pytest.mark.slow
@each_row("page", PAGES)
def test_the_right_file_comes_first_on_every_recorded_page(page: Recorded) -> None:
    contents = landing_page.read(body(f"landing/{page.file}.html"), page.url)
    assert contents.outcome is page.outcome
    assert next((copy.url for copy in contents.copies if not copy.is_page), "") == page.pdf


@needs_data
def test_what_a_page_says_of_its_work() -> None:
    page = landing_page.read(body("landing/sandcrawler__peerj_oa_article.html"), "https://peerj.com/articles/4375/")
    assert page.doi == "10.7717/peerj.4375"
    assert page.license == "cc-by"
    assert page.title.startswith("The state of OA: a large-scale analysis")


def first(markup: str, url: str = "https://repository.example.org/page/1") -> Copy | None:
    return next(iter(landing_page.read(f"<html><body>{markup}".encode(), url).copies), None)


HOME = "https://repository.example.org"


@each_row("markup, url, evidence", [
    ('<meta name="eprints.document_url" content="/1/1/a.pdf">', f"{HOME}/1/1/a.pdf", "meta:eprints.document_url"),
    ('<meta property="citation_pdf_url" content="/a.pdf">', f"{HOME}/a.pdf", "meta:citation_pdf_url"),
    ('<a href="/bitstream/1/2/a.pdf">View/Open</a>', f"{HOME}/bitstream/1/2/a.pdf", "platform:DSpace"),
    ('<script>{"pdfUrl": "\\/a.pdf?x=1"}</script>', f"{HOME}/a.pdf?x=1", "script:Unpaywall's list"),
    ('<a href="/doi/epdf/10.1/x">PDF</a>', f"{HOME}/doi/pdf/10.1/x", "anchor:PDF"),
    ('<a href="/a.pdf"><img src="pdf-icon.png" alt="PDF"></a>', f"{HOME}/a.pdf", "anchor:PDF pdf-icon.png"),
    ('<iframe src="/pdf.js/web/viewer.html?file=%2Fdownload%2F1&x=2">', f"{HOME}/download/1", "platform:pdf.js"),
    (
        '<script>{"encoding": {"contentUrl": "/d/1", "encodingFormat": "application/pdf"}}</script>', f"{HOME}/d/1",
        "script:schema.org",
    ),
    ('<base href="/b/"><a href="a.pdf">Download PDF</a>', f"{HOME}/b/a.pdf", "anchor:Download PDF"),
])  # fmt: skip
def test_a_file_is_found_where_systems_have_it(markup: str, url: str, evidence: str) -> None:
    copy = first(markup)
    assert copy is not None
    assert (copy.url, copy.evidence, copy.is_page) == (url, evidence, False)


@each_row("markup", [
    '<a href="/supplement.pdf">PDF</a>', '<a href="/a.pdf">Supplementary material (PDF)</a>',
    '<a href="/a.pdf">Download citation</a>', '<a href="/cover.pdf">PDF</a>',
    '<a href="https://elsewhere.example.com/a.pdf">PDF</a>', '<a href="/getaccess/purchase">Purchase PDF</a>',
    '<div id="references"><a href="/a.pdf">PDF</a></div>',
    '<section class="related-articles"><p><a href="/a.pdf">PDF</a></p></section>', '<a href="#pdf">PDF</a>',
    '<a href="http://[/a.pdf">PDF</a>', '<meta name="citation_pdf_url" content="https://doi.org/10.1/x">',
    "".join(f'<a href="/{n}.pdf">pdf</a>' for n in range(4)), "",
])  # fmt: skip
def test_what_is_no_file_of_the_work_is_not_taken(markup: str) -> None:
    assert first(markup) is None


def test_a_link_in_a_footer_counts_if_it_says_only_pdf_and_has_the_number_of_the_page() -> None:
    links = "".join(f'<a href="/pdf/{number}/a.pdf">Download PDF</a>' for number in (481746, 481747))
    page = landing_page.read(f'<div class="footer-links">{links}</div>'.encode(), f"{HOME}/article/481747")
    assert [copy.url for copy in page.copies] == [f"{HOME}/pdf/481747/a.pdf"]


@each_row("content, refresh", [
    ("0;url=next", f"{HOME}/next"), ("0, URL = 'the next'", f"{HOME}/the next"), ("300", ""),
    ("1800; url=/session-expired", ""),
])  # fmt: skip
def test_a_page_leads_on_at_once_or_not_at_all(content: str, refresh: str) -> None:
    """As browsers read it (HTML, shared declarative refresh steps); who waits for minutes ends a session."""
    markup = f'<meta http-equiv="refresh" content="{content}">'
    assert landing_page.read(markup.encode(), f"{HOME}/page").refresh == refresh


@needs_data
def test_the_foot_of_every_page_of_the_acl_anthology_does_not_license_works_of_2004() -> None:
    """aclanthology.org (recorded 2024): `Materials published in or after 2016 … are licensed …`."""
    page = next(recorded for recorded in PAGES if recorded.file == "papis/ACL_N04-1001")
    assert landing_page.read(body(f"landing/{page.file}.html"), page.url).license == ""


@each_row("declared, content_type, encoding", [
    ("", "text/html", "utf-8"), ("", 'text/html; Charset="ISO-8859-1"', "latin-1"),
    ('<meta charset="iso-8859-1">', "text/html", "latin-1"),
    ('<meta charset="iso-8859-1">', "text/html;charset=utf-8", "utf-8"),
    ('<meta charset="utf-8">', "text/html; charset=none-such", "utf-8"),
])  # fmt: skip
def test_a_page_is_written_in_what_its_server_says(declared: str, content_type: str, encoding: str) -> None:
    """What neither said was guessed: `é` became `√©`."""
    markup = f'<html><head>{declared}</head><a href="/é.pdf">PDF</a>'
    page = landing_page.read(markup.encode(encoding), f"{HOME}/page/1", content_type)
    assert [copy.url for copy in page.copies] == [f"{HOME}/é.pdf"]


@each_row("content", [b"", b"%PDF-1.4", b"<" * 1000, "é".encode("utf-16")])
def test_what_is_no_page_tells_nothing(content: bytes) -> None:
    assert landing_page.read(content, HOME).copies == ()


@each_row("url, title, outcome", [
    ("https://x.example.org/cookieAbsent", "", Outcome.BLOCKED_COOKIE),
    ("https://x.example.org/", "Cookies are disabled", Outcome.BLOCKED_COOKIE),
    ("https://x.example.org/", "Just a moment...", Outcome.BLOCKED_CAPTCHA),
    ("https://x.example.org/sso?SAMLRequest=x", "", Outcome.BLOCKED_WALL),
    ("https://x.example.org/", "Sign in | Journal", Outcome.BLOCKED_WALL),
    ("https://x.example.org/", "Signs of life", None),
])  # fmt: skip
def test_what_stands_in_the_way_has_its_outcome(url: str, title: str, outcome: Outcome | None) -> None:
    assert obstacle(url, title) is outcome


@each_row("url, site", [
    ("https://pubs.rsc.org/x", "rsc.org"),
    ("https://eprints.lib.example.ac.uk:8080/1", "example.ac.uk"),
    ("https://hal.science./", "hal.science"), ("https://ac.uk/", "ac.uk"), ("nonsense", ""),
])  # fmt: skip
def test_the_name_that_a_site_is_registered_by(url: str, site: str) -> None:
    assert site_of(url) == site


@each_row("platform", list(platforms()))
def test_the_right_link_comes_first(platform: Platform) -> None:
    assert answer(platform) == platform.right


@each_row("markup", [
    f'<a href="/{"a" * 5000}.pdf">PDF</a>',
    (
        '<script>{"pdfDownload": {"urlMetadata": {"path": "p", "pii": 1, "pdfExtension": "/pdf", "queryParams": '
        '{"md5": "m", "pid": "p"}}}}</script>'
    ),
    '<script>{"pdfDownload": {"urlMetadata": []}}</script>', '<a href="http://[/1.pdf">PDF</a>',
    '<meta name="citation_pdf_url" content="mailto:a">',
    '<title>Just a moment...</title><a href="/1.pdf">PDF</a>', '<script>{"pdfDownload": {"a": </script>',
])  # fmt: skip
def test_what_a_page_says_in_a_way_that_nobody_can_follow_is_left_out(markup: str) -> None:
    page = landing_page.read(markup.encode(), "https://journal.example.org/1", "text/html; charset=utf-16")
    assert page.copies == ()


def test_a_page_that_leads_on_by_a_script_says_where_in_a_field() -> None:
    """Elsevier's hub, where its DOIs lead to."""
    markup = (
        '<input type="hidden" name="redirectURL" id="redirectURL" value="https%3A%2F%2Fwww.example.com%2Fpii%2FS1">'
    )
    page = landing_page.read(markup.encode(), "https://hub.example.com/retrieve/pii/S1")
    assert page.refresh == "https://www.example.com/pii/S1"


PAGE = "https://journal.example.org/a"
LINK = b"<a href='x.pdf'>PDF</a>"


def test_a_page_is_read_to_where_it_has_too_many_tags() -> None:
    assert affordable(LINK * 10) == LINK * 10
    assert affordable(LINK * MOST_TAGS) == LINK * (MOST_TAGS // 2)


def test_a_page_is_read_to_where_too_many_elements_are_inside_each_other() -> None:
    assert affordable(b"<div>" * MOST_DEEP + LINK) == b"<div>" * MOST_DEEP
    beside = b"<div><p><br></div>" * 2 * MOST_DEEP + b"</p>" * MOST_DEEP + LINK
    assert affordable(beside) == beside


@pytest.mark.unmeasured
@pytest.mark.slow
@each_row("made", [
    lambda n: b"<a href='x.pdf'>pdf<div>" * n,  # took the square of their number
    lambda n: LINK + b"<div>" * (700 * n),
    lambda n: LINK + b"<link rel=item href=x.pdf>" * (170 * n),
    lambda n: b"<div class='" + b"a " * (1700 * n) + b"'>" + LINK * 500,
    lambda n: b"<a href='x.pdf'>pdf" + b"(" * (1700 * n) + b"</a>",
    lambda n: LINK + b"<meta name=citation_doi content='10.1234/" + b"<a" * (700 * n) + b"'>",
    lambda n: LINK + b"<ul>" + b"<li>Embargoed until 1 May 2027 <a href='y.pdf'>PDF</a></li>" * (10 * n),
])  # fmt: skip
def test_what_was_made_to_be_endless_is_read_in_linear_time(made: Callable[[int], bytes]) -> None:
    def first(body: bytes) -> None:
        assert read.__wrapped__(body, PAGE).copies[0].url == "https://journal.example.org/x.pdf"

    assert not is_more_than_linear(first, made(40), made(160))
