"""The full text in another form than PDF: what is known as one, and that its address is kept and nothing is fetched."""

from collections.abc import Mapping

import pytest

from gateway.core.model import Outcome, Work
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.known_copies import IS_ARTICLE, Copy
from harvester.fulltext.pages import landing_page
from harvester.fulltext.pages.article_xml import is_article_xml
from harvester.fulltext.pdf.file_type import HTML, XML, mime_type
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.fulltext.substance import endings
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, a_pdf, answer, work
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")

TITLE = "Coherence properties of quantum dot resonance fluorescence"
NOW = 1_700_000_000
URL = "https://journal.example.org/1"
TEXT = "<p>It grows where nobody looks at it.</p>"
LONG = TEXT * 700
SECTIONS = "".join(
    f"<h2>{name}</h2>{TEXT * 100}" for name in ("1. Introduction", "2 Methods", "Resultados", "Discussion")
)
JATS = b"<article><front><article-meta/></front><body><sec><title>A</title></sec></body></article>"


@each_row(
    "body",
    [
        JATS,
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a - b --><!DOCTYPE article PUBLIC 'a' 'b' [<!ENTITY a 'b'>]>\n"
        + JATS,
        b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><title>A</title></teiHeader><text><body/><body>a</body></text></TEI>",
        b"<j:article xmlns:j='a'><j:body >a</j:body></j:article>",
        b"<full-text-retrieval-response><xocs:rawtext>a</xocs:rawtext></full-text-retrieval-response>",
        b"<OAI-PMH><record><metadata><article><body>a</body></article></metadata></record></OAI-PMH>",
    ],
)
def test_an_article_as_xml_is_known_by_its_root_and_its_body(body: bytes) -> None:
    assert is_article_xml(body)
    assert mime_type(body) == XML


@each_row("body", [
    b"", b"<", JATS.replace(b"body", b"back"), b"<article><front/><body></body></article>",
    b"<article><front/><body id='b'>\n</body><back/></article>",
    b"<article><front/><body specific-use='none'/></article>", b"<rss><channel><body>a</body></channel></rss>",
    b"<html><body>a</body></html>", b"<article class='card'><p>A page without its frame</p></article>",
    b"<!--" + b"-" * 70_000 + b"-->" + JATS, b"<!DOCTYPE article [" + b"<!ENTITY a 'b'>" * 5_000 + b"]>" + JATS,
    b"<?xml " * 20_000, *(b"\xff\xfe", b"\xfe\xff<", b"\xff\xfe\x00\x00<\x00\x00\x00", b"\xff\xfe<\x00p\x00>"),
])  # fmt: skip
def test_other_bytes_and_metadata_alone_are_no_article(body: bytes) -> None:
    assert not is_article_xml(body)
    assert not landing_page.read(body, URL).is_article


@each_row("markup", [
    LONG, SECTIONS, SECTIONS.replace("<p>", "<div>").replace("</p>", "</div>"),
    f'<script type="application/ld+json">{{"articleBody": "{"a " * 2000}"}}</script>',
])  # fmt: skip
def test_a_page_that_holds_the_text_is_the_article(markup: str) -> None:
    page = landing_page.read(f"<html><body>{markup}".encode(), URL)
    assert page.is_article
    assert page.full_texts == (Copy(URL, mime_type="text/html", evidence=IS_ARTICLE),)


@each_row("markup", [
    f"<h2>Abstract</h2>{TEXT * 50}", f"<h2>Abstract</h2>{TEXT * 350}",
    "".join(f"<h2>{name}</h2>{TEXT}" for name in ("Introduction", "Methods", "Results", "Discussion")),
    f"<h2>References</h2><ol>{f'<li>{TEXT}</li>' * 1000}</ol>", f"<aside>{LONG}</aside>", f"<footer>{LONG}</footer>",
])  # fmt: skip
def test_abstracts_section_snippets_and_references_are_no_article(markup: str) -> None:
    assert not landing_page.read(f"<html><body>{markup}".encode(), URL).is_article


def _searched(
    about: Work, own: Mapping[str, Answer], kept: list[bytes] | None = None
) -> tuple[SearchResult, list[str]]:
    web = RecordedWeb(own, has_recordings=False)
    keep = (kept if kept is not None else []).append
    return search(about, steps(), web, SETTINGS, at=NOW, most_files=6, keep=keep), web.asked


def test_a_page_that_is_the_article_is_kept_by_its_address() -> None:
    """It is asked for once, it is no file of the work, and the search is over."""
    result, asked = _searched(work(TITLE, page=URL), {URL: answer(f"<h1>{TITLE}</h1>{LONG}")})
    assert (result.outcome, result.is_over) == (Outcome.FULL_TEXT_HTML, True)
    assert [(candidate.url, candidate.outcome, candidate.sha256) for candidate in result.candidates] == [
        (URL, Outcome.FULL_TEXT_HTML, "")
    ]
    assert asked.count(URL) == 1
    assert decided("oai:x:1", result, Thresholds(), NOW) == ()
    assert Outcome.FULL_TEXT_HTML in {ending.outcome for ending in endings("x", result, NOW)}


@each_row("codec", ["utf-16-le", "utf-16-be"])
@each_row("declared", ["utf-16", "utf-8", ""])
def test_the_article_in_utf_16_is_recognised_like_that_in_utf_8(codec: str, declared: str) -> None:
    """The byte order mark counts, whatever the server and the text itself declare."""
    charset = f"; charset={declared}" * bool(declared)
    page = f'<meta charset="{declared}"><title>{TITLE}</title><h1>{TITLE}</h1><a href="/1.zip">Größe</a>{LONG}'
    body = f"\ufeff{page}".encode(codec)
    own = {URL: answer(body, Content_Type=f"text/html{charset}")}
    assert mime_type(body) == HTML
    assert _searched(work(TITLE, page=URL), own)[0].outcome is Outcome.FULL_TEXT_HTML
    assert landing_page.read(body, URL, f"text/html{charset}").title == TITLE
    jats = f'\ufeff<?xml version="1.0" encoding="{declared or codec}"?>\n{JATS.decode()}'.encode(codec)
    page_with_link = answer(f'<meta name="citation_pdf_url" content="{URL}.pdf">')
    result, _ = _searched(work(TITLE, page=URL), {URL: page_with_link, f"{URL}.pdf": answer(jats)})
    assert mime_type(jats) == XML
    assert result.outcome is Outcome.FULL_TEXT_XML


def test_a_scan_is_kept_and_goes_to_review() -> None:
    """Its address, its bytes and a decision that a person is to take."""
    kept: list[bytes] = []
    scan = a_pdf("few words")
    own = {URL: answer('<a href="/1.pdf">PDF</a>'), f"{URL}.pdf": answer(scan)}
    result, _ = _searched(work(TITLE, page=URL), own, kept)
    (candidate,) = result.candidates
    assert (result.outcome, candidate.url, kept) == (Outcome.NO_TEXT, f"{URL}.pdf", [scan])
    (decision,) = decided("oai:x:1", result, Thresholds(), NOW)
    assert (decision.verdict, decision.url) == ("review", f"{URL}.pdf")
