"""What a robots.txt says is read the same way by whoever asks for one, whatever bytes it holds."""

import pytest

from gateway.core.errors import ConnectionFailed, RobotsDenied, TryLater
from harvester.http.messages import Fetched
from harvester.http.robots_txt import MOST_BYTES, RobotsCache, robots_url, rules_of
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


RULES = "https://journal.example.org/robots.txt"
ARTICLE = "https://journal.example.org/a"


class Site:
    """A fetch that counts its requests, and a clock."""

    def __init__(self, status=200, body=b"User-agent: *\nCrawl-delay: 2"):
        self.asked, self.now, self.status, self.body = [], 0.0, status, body

    def __call__(self, request):
        self.asked.append(request.url)
        if not self.status:
            raise ConnectionFailed("Nobody is there.")
        return Fetched(request.url, self.status, (), self.body, 0)


def test_rules_hold_a_day_for_an_authority():
    site = Site()
    cache = RobotsCache(lambda: site.now)
    for now in (0.0, 86_400.0, 86_401.0):
        site.now = now
        rules = cache.rules(ARTICLE, site)
        assert (rules.verdict, rules.delay(ARTICLE)) == ("allowed", 2.0)
    assert site.asked == [RULES, RULES]
    cache.rules("https://journal.example.org:8443/a", site)
    assert site.asked[2:] == ["https://journal.example.org:8443/robots.txt"]


@each_row("status, error", [(0, ConnectionFailed), (503, TryLater)])
def test_an_error_holds_a_day_too(status, error):
    site = Site(status)
    cache = RobotsCache(lambda: site.now)
    for _ in range(2):
        with pytest.raises(error):
            cache.rules(ARTICLE, site)
    assert site.asked == [RULES]
    site.now, site.status = 86_401.0, 404
    assert cache.rules(ARTICLE, site).verdict == "no robots.txt"
