"""The robots.txt of an authority is fetched once a day, by whichever thread comes first."""

import pytest

from gateway.core.errors import ConnectionFailed, TryLater
from harvester.http.messages import Fetched
from harvester.http.robots_txt import RobotsCache
from tests.rows import each_row

PLACE = "https://journal.example.org/robots.txt"
PAGE = "https://journal.example.org/a"


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
        rules = cache.rules(PAGE, site)
        assert (rules.verdict, rules.delay(PAGE)) == ("allowed", 2.0)
    assert site.asked == [PLACE, PLACE]
    cache.rules("https://journal.example.org:8443/a", site)
    assert site.asked[2:] == ["https://journal.example.org:8443/robots.txt"]


@each_row("status, error", [(0, ConnectionFailed), (503, TryLater)])
def test_an_error_holds_a_day_too(status, error):
    site = Site(status)
    cache = RobotsCache(lambda: site.now)
    for _ in range(2):
        with pytest.raises(error):
            cache.rules(PAGE, site)
    assert site.asked == [PLACE]
    site.now, site.status = 86_401.0, 404
    assert cache.rules(PAGE, site).verdict == "no robots.txt"
