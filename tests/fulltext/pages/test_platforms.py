"""Which link comes first on the pages of many platforms."""

from harvester.fulltext.pages import landing_page
from tests.fulltext.platforms import Platform, answer, platforms
from tests.rows import each_row


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
