"""What a robots.txt says is read the same way by whoever asks for one, whatever bytes it holds."""

import pytest

from gateway.core.errors import RobotsDenied, TryLater
from harvester.http.robots_txt import MOST_BYTES, robots_url, rules_of
from tests.rows import each_row

PAGE = "https://journal.example.org:8443/article/1?a=b"
PLACE = "https://journal.example.org:8443/robots.txt"


def delay(text: bytes, status: int = 200) -> float:
    """Return the seconds between two requests to `PAGE`."""
    return rules_of(PLACE, status, text).delay(PAGE)


def test_it_lies_at_the_root_of_the_host_and_its_port():
    assert robots_url(PAGE) == PLACE


@each_row("name", [b"*", b"oai-gateway", b"OAI-Gateway"])
def test_who_is_named_by_any_of_our_names_is_meant(name: bytes):
    with pytest.raises(RobotsDenied, match="forbids requests to"):
        delay(b"User-agent: " + name + b"\nDisallow: /article")


@each_row("status", [400, 403, 404, 410, 451])
def test_what_is_not_there_allows_everything(status: int):
    rules = rules_of(PLACE, status, b"User-agent: *\nDisallow: /")
    assert (rules.verdict, rules.delay(PAGE)) == ("no robots.txt", 0.0)


@each_row("status", [500, 503, 599])
def test_a_server_in_trouble_allows_nothing_now(status: int):
    with pytest.raises(TryLater, match=f"HTTP status {status}"):
        rules_of(PLACE, status, b"")


def test_a_pause_of_a_minute_is_kept_and_more_is_for_another_day():
    assert delay(b"User-agent: *\nCrawl-delay: 60") == 60.0
    with pytest.raises(TryLater, match="61 seconds"):
        delay(b"User-agent: *\nCrawl-delay: 61")


def test_what_stands_beyond_the_bytes_that_are_read_says_nothing():
    assert delay(b"#" * MOST_BYTES + b"\nUser-agent: *\nDisallow: /") == 0.0
