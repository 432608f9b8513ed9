"""Sessions are lent to one request at a time, and cookies belong to whom they were given."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Barrier

import pytest

from gateway.core.settings import load
from harvester.http.fetching import Web
from harvester.http.messages import Request
from tests.http.server import Server, ok


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
