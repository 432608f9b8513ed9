"""robots.txt decides about files, unless they are ours by agreement; about lists of OAI-PMH it never does."""

from __future__ import annotations

import json

import pytest

from gateway.errors import TryLater
from harvester.mirror.robots import Robots
from harvester.wire.http import Fetched


def site(status, text):
    """Return a fetch of one robots.txt, and the addresses that it was asked for."""
    asked = []

    def fetch(request):
        asked.append(request.url)
        return Fetched(request.url, status, (), text.encode(), 0)

    return fetch, asked


@pytest.fixture
def robots():
    """Return a Robots whose clock stands still, and the pauses it makes."""
    pauses = []
    return Robots(pauses.append, lambda: 0.0), pauses


@pytest.mark.parametrize(
    ("status", "text", "is_allowed"),
    [
        (200, "User-agent: *\nDisallow: /files/", False),
        (200, "User-agent: *\nDisallow: /*.pdf$", False),
        (200, "User-agent: oai-gateway\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        (200, "User-agent: other\nDisallow: /", True),
        (200, "", True),
        (404, "User-agent: *\nDisallow: /", True),
        (403, "", True),
    ],
)
def test_what_is_not_forbidden_is_allowed(robots, status, text, is_allowed):
    fetch, asked = site(status, text)
    for _ in range(2):
        assert (robots[0].refusal("http://e.org/files/a.pdf", fetch) == "") is is_allowed
    assert asked == ["http://e.org/robots.txt"]


@pytest.mark.parametrize(("status", "text"), [(500, ""), (503, ""), (200, "User-agent: *\nCrawl-delay: 61")])
def test_who_cannot_say_so_now_or_wants_long_pauses_is_left_to_another_day(robots, status, text):
    for _ in range(2):
        with pytest.raises(TryLater):
            robots[0].refusal("http://e.org/files/a.pdf", site(status, text)[0])


def test_the_pause_that_a_host_asks_for_is_kept(robots):
    fetch, _ = site(200, "User-agent: *\nCrawl-delay: 2")
    for _ in range(3):
        robots[0].refusal("http://e.org/a", fetch)
    assert robots[1] == [2.0, 4.0]  # the clock stands still


def test_a_mirror_obeys_unless_it_is_agreed_otherwise_and_remembers_that(mirror, provider, fill):
    fill(1)
    rules = b"User-agent: *\nDisallow: /"
    provider.faults["/robots.txt"] = lambda handler: handler.send(200, rules, {}) or True
    receipt = mirror.run(status=3)
    assert {each["fate"] for each in receipt["missing"]} == {"disallowed"}
    assert provider.asked == ["/robots.txt"]
    mirror.run("--retry-failed", "--no-robots")
    assert mirror.held() == provider.expected()
    assert json.loads((mirror.folder / "mirror.json").read_bytes())["obeys_robots"] is False
    provider.items["oai:p:0"].files["c.txt"] = b"c"
    provider.items["oai:p:0"].datestamp = "2030-01-01T00:00:00Z"
    mirror.run()
    assert mirror.held() == provider.expected()
