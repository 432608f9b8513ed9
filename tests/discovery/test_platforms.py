"""Which link comes first on the pages of many platforms."""

from __future__ import annotations

import pytest

from harvester.wire import landing_page
from tests.discovery.platforms import Platform, answer, platforms


@pytest.mark.parametrize("platform", list(platforms()), ids=lambda platform: platform.name)
def test_the_right_link_comes_first(platform: Platform) -> None:
    assert answer(platform) == platform.right


@pytest.mark.parametrize(
    "markup",
    [
        f'<a href="/{"a" * 5000}.pdf">PDF</a>',
        (
            '<script>{"pdfDownload": {"urlMetadata": {"path": "p", "pii": 1, "pdfExtension": "/pdf", "queryParams": '
            '{"md5": "m", "pid": "p"}}}}</script>'
        ),
        '<script>{"pdfDownload": {"urlMetadata": []}}</script>',
        '<script>{"pdfDownload": {"a": </script>',
    ],
)
def test_what_a_page_says_in_a_way_that_nobody_can_follow_is_left_out(markup: str) -> None:
    page = landing_page.read(markup.encode(), "https://journal.example.org/1")
    assert page.copies == ()
