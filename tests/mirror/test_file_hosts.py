"""robots.txt decides about files, unless they are ours by agreement; about lists of OAI-PMH it never does."""

import json
from contextlib import nullcontext

import pytest

from gateway.core.errors import ConnectionFailed, RobotsDenied, TryLater
from harvester.http.messages import Fetched
from harvester.mirror.file_hosts import FileHosts
from tests.rows import each_row


def site(status, text):
    """Return a fetch of one robots.txt, and the addresses that it was asked for."""
    asked = []

    def fetch(request):
        asked.append(request.url)
        answer = Fetched(request.url, status, (), b"", 0)
        if request.sink.begin(answer):
            request.sink.write(text.encode())
        return answer

    return fetch, asked


def hosts(pauses=None, **more):
    """Return a FileHosts whose clock stands still. It adds its pauses to `pauses`."""
    return FileHosts([].append if pauses is None else pauses.append, lambda: 0.0, **more)


@each_row(
    "status, text, is_allowed",
    [
        (200, "User-agent: *\nDisallow: /files/", False),
        (200, "User-agent: *\nDisallow: /*.pdf$", False),
        (200, "User-agent: oai-gateway\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        (404, "User-agent: *\nDisallow: /", True),
        (200, "User-agent: *\nDisallow: /\n" + "# and so on\n" * 50_000, False),
        (403, "", True),
    ],
)
def test_what_is_not_forbidden_is_allowed(status, text, is_allowed):
    robots, (fetch, asked) = hosts(), site(status, text)
    for _ in range(2):
        with nullcontext() if is_allowed else pytest.raises(RobotsDenied, match="forbids requests"):
            robots.check("http://e.org/files/a.pdf", fetch)
    assert asked == ["http://e.org/robots.txt"]


@each_row("status, text", [(500, ""), (503, ""), (200, "User-agent: *\nCrawl-delay: 61")])
def test_who_cannot_say_so_now_or_wants_long_pauses_is_left_to_another_day(status, text):
    robots = hosts()
    for _ in range(2):
        with pytest.raises(TryLater):
            robots.check("http://e.org/files/a.pdf", site(status, text)[0])


def _silent(asked):
    def fetch(request):
        asked.append(request.url)
        raise ConnectionFailed("Nobody is there.")

    return fetch


@each_row("obeys", [True, False])
def test_a_host_that_falls_silent_is_left_alone_for_the_rest_of_the_run(obeys):
    robots, asked = hosts(obeys_robots=obeys), []
    robots.check("http://e.org/a", site(404, "")[0])
    for _ in range(2):
        robots.failed("http://e.org/a", ConnectionFailed("Nobody is there."), _silent(asked))
    with pytest.raises(ConnectionFailed, match="Nobody is there"):
        robots.check("http://e.org/b", _silent(asked))
    robots.check("http://other.org/b", site(404, "")[0])
    assert asked == ["http://e.org/robots.txt"]


def test_a_dead_host_is_waited_for_once_also_where_robots_txt_is_not_obeyed(mirror, provider, fill):
    fill(3)
    asked = []

    def broken(handler):
        asked.append(handler.path)
        handler.close_connection = True
        return True

    for number in range(3):
        provider.faults[f"oai:p:{number}/a.txt"] = broken
    provider.faults["/robots.txt"] = broken
    receipt = mirror.run("--no-robots", status=3, fetch_retries=0, mirror_host_connections=1)
    assert [missing["fate"] for missing in receipt["missing"]] == ["unreachable"] * 6
    assert len(asked) == 2  # a file, and whether the host answers at all


def test_the_pause_that_a_host_asks_for_is_kept():
    pauses = []
    robots = hosts(pauses)
    for _ in range(3):
        robots.check("http://e.org/a", site(200, "User-agent: *\nCrawl-delay: 2")[0])
    assert pauses == [2.0, 4.0]  # the clock stands still


def test_a_mirror_obeys_unless_it_is_agreed_otherwise_and_remembers_that(mirror, provider, fill):
    fill(1)
    rules = b"User-agent: *\nDisallow: /"
    provider.faults["/robots.txt"] = lambda handler: handler.send(200, rules, {}) or True
    receipt = mirror.run(status=3)
    assert {missing["fate"] for missing in receipt["missing"]} == {"disallowed"}
    assert provider.asked == ["/robots.txt"]
    mirror.run("--retry-failed", "--no-robots")
    assert mirror.held() == provider.expected()
    assert json.loads((mirror.folder / "mirror.json").read_bytes())["obeys_robots"] is False
    provider.items["oai:p:0"].files["c.txt"] = b"c"
    provider.items["oai:p:0"].datestamp = "2030-01-01T00:00:00Z"
    mirror.run()
    assert mirror.held() == provider.expected()


@pytest.mark.slow
def test_a_redirect_leads_nowhere_that_robots_txt_forbids(mirror, provider, fill):
    fill(1)
    rules = b"User-agent: *\nDisallow: /secret"
    provider.faults["/robots.txt"] = lambda handler: handler.send(200, rules, {}) or True
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(302, b"", {"Location": "/secret/a.txt"}) or True
    assert [missing["fate"] for missing in mirror.run(status=3)["missing"]] == ["disallowed"]
    assert "/secret/a.txt" not in provider.asked
