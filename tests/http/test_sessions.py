"""Sessions are lent to one request at a time; only so many stay open, and cookies belong to whom they were given."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Barrier

import pytest
import requests

from gateway.address_rules import Allowed
from gateway.errors import ConnectionFailed
from gateway.settings import load
from harvester.http.connections import Guard, GuardedAdapter  # type: ignore[attr-defined]
from harvester.http.fetching import Web
from harvester.http.messages import Request
from harvester.http.sessions import MOST_IDLE, Channel, Channels
from tests.http.server import Server, ok


class Closing(requests.Session):
    """A session that knows whether it was closed."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def opened() -> Channel:
    return Channel(Closing(), GuardedAdapter(Guard(Allowed())))


@pytest.fixture
def channels() -> Channels:
    return Channels()


def test_an_idle_session_is_lent_again_and_a_lent_one_is_not(channels: Channels) -> None:
    with channels.lent("a", "", opened) as first, channels.lent("a", "", opened) as second:
        assert first is not second
    with channels.lent("a", "", opened) as again:
        assert again is first
    with channels.lent("b", "", opened) as other:
        assert other not in (first, second)


def test_what_was_idle_longest_is_closed(channels: Channels) -> None:
    lent = []
    for place in range(MOST_IDLE + 2):
        with channels.lent(place, "", opened) as channel:
            lent.append(channel)
    assert [lent_channel.session.is_closed for lent_channel in lent] == [True, True, *[False] * MOST_IDLE]  # type: ignore[attr-defined]


def test_cookies_are_those_of_whom_it_speaks_for(channels: Channels) -> None:
    with channels.lent("a", "one work", opened) as channel:
        channel.session.cookies.set("seen", "1")
    with channels.lent("a", "another work", opened) as again:
        assert again is channel
        assert not again.session.cookies
    for place in "ab":
        with channels.lent(place, "one work", opened) as channel:
            assert channel.session.cookies.get("seen") == "1"


def test_whose_cookies_were_not_wanted_for_long_are_forgotten(channels: Channels) -> None:
    for number in range(300):
        with channels.lent("a", f"work {number}", opened) as channel:
            channel.session.cookies.set("seen", "1")
    for number, is_known in ((299, True), (0, False)):
        with channels.lent("a", f"work {number}", opened) as channel:
            assert bool(channel.session.cookies) is is_known


def test_what_is_lent_when_all_is_closed_is_not_kept_and_nothing_is_lent_after_all_was_broken_off(
    channels: Channels,
) -> None:
    with channels.lent("a", "", opened) as channel:
        channels.close()
        assert channel.session.is_closed  # type: ignore[attr-defined]
    with channels.lent("a", "", opened) as again:
        assert again is not channel
        channels.break_off()
    with pytest.raises(ConnectionFailed, match="cancelled"), channels.lent("a", "", opened):
        pass


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with Web(load(tmp_path, environ={}), allow=["127.0.0.1"]) as client:
        yield client


def test_one_host_is_asked_by_several_threads_at_once(web: Web, server: Server) -> None:
    together = Barrier(3, timeout=60)

    def wait(request: BaseHTTPRequestHandler) -> None:
        together.wait()
        request.send_response_only(200)
        request.send_header("Content-Length", "0")
        request.end_headers()

    url = server.say("/", wait)
    with ThreadPoolExecutor(3) as pool:
        assert [answer.status for answer in pool.map(web, [Request(url)] * 3)] == [200] * 3
    assert len({request.peer for request in server.asked}) == 3


def test_a_connection_is_used_again_for_another_work_without_its_cookies(web: Web, server: Server) -> None:
    url = server.say("/", ok(b"x", Set_Cookie="seen=1"))
    for source in ("one work", "one work", "another work"):
        web(Request(url, source=source))
    assert [request.headers.get("Cookie") for request in server.asked] == [None, "seen=1", None]
    assert len({request.peer for request in server.asked}) == 1
