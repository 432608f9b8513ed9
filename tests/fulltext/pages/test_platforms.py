"""Which link comes first on the pages of many platforms."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pages import landing_page
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from tests.fulltext.platforms import Platform, answer, platforms
from tests.fulltext.web import SETTINGS, RecordedWeb, a_pdf, work
from tests.fulltext.web import answer as answer_of
from tests.rows import each_row

_TITLE = "Coherence properties of quantum dot resonance fluorescence"


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


def test_elife_page() -> None:
    """Four anchors that read the same made it a list of works, and hid the one that says `Article PDF`."""
    page = next(platform for platform in platforms() if platform.name == "elife-four-downloads")
    file = answer_of(a_pdf(*[_TITLE] * 60), Content_Type="application/pdf")
    web = RecordedWeb({page.url: answer_of(page.body), page.right: file}, has_recordings=False)
    result = search(work(_TITLE, page=page.url), steps(), web, SETTINGS, at=1_700_000_000, most_files=6)
    assert (result.outcome, [candidate.url for candidate in result.candidates]) == (Outcome.SUCCESS, [page.right])
