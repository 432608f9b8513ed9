"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

from harvester.http import links
from harvester.http import robots_txt as robots
from harvester.http.messages import Fetched, settled_date
from tests.rows import each_row

HEAVY = b"[" + b"[]," * 5_000_000 + b"[]]"


def test_delay_that_is_no_number_is_none():
    rules = robots.Rules("robots.txt", b"User-agent: *\nCrawl-delay: nan\n")
    assert rules.delay("http://x.org/") == 0
    assert rules.delay("http://[") == 0


@each_row("date", ["Mon, 01 Jan 99999999999999999 00:00:00 GMT", "1", "Mon, 1 Jan 2024 00:00 +99999999"])
def test_date_of_a_header_that_is_none_settles_nothing(date: str):
    assert settled_date(Fetched("u", 200, (("Last-Modified", date), ("Date", date)), b"", 0)) == ""


def test_link_set_that_would_fill_the_memory_has_no_links():
    assert links.from_json(HEAVY, "http://example.org/") == ()
