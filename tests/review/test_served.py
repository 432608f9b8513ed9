"""People sign in at the real server, whose other processes know at once who was added, removed, or has failed."""

import re
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from gateway.core.model import Deed
from tests import live
from tests.opening import open_users
from tests.publish.harness import make_databases
from tests.review_house import PASSWORD, add_user

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]


class Browser:
    """A browser with cookies, at a server; `address` is what a proxy says of it."""

    def __init__(self, url: str, address: str = "") -> None:
        self.url, self.jar = url, CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self.jar))
        self._headers = {"X-Forwarded-For": address} if address else {}

    def ask(self, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """Return the status and the text of the last answer, after redirects."""
        body = urlencode(fields).encode() if fields is not None else None
        try:
            with self._opener.open(Request(self.url + path, body, self._headers)) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def sign_in(self, name: str = "B. Ito", password: str = PASSWORD) -> tuple[int, str]:
        """Fill the form in, and return the answer."""
        _, form = self.ask("/review/login")
        match = re.search(r'name="csrf_token" value="([^"]+)"', form)
        token = unescape(match[1]) if match else ""
        return self.ask("/review/login", {"csrf_token": token, "name": name, "password": password})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_databases(tmp_path)
    (tmp_path / "config.toml").write_text("serve_workers = 2\n")
    return tmp_path


@pytest.fixture
def server(folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    settings = {"secret": "x" * 40, **getattr(request, "param", {})}
    with live.served(folder, **settings) as server:
        yield server.url.removesuffix("/oai")


def test_users_come_and_go_while_the_server_runs(folder: Path, server: str) -> None:
    browser = Browser(server)
    assert browser.ask("/review")[0] == 404
    assert len(browser.jar) == 0
    add_user(folder)
    status, page = browser.sign_in()
    assert (status, "Sign out B. Ito" in page) == (200, True)
    (cookie,) = browser.jar
    assert (cookie.name, cookie.path, cookie.secure) == ("review", "/review", False)
    assert all(browser.ask("/review/decisions")[0] == 200 for _ in range(6)), "every process knows the session"
    removed = live.called("gateway", folder, "user", "remove", "B. Ito")
    assert removed.returncode == 0, removed.stderr
    assert {browser.ask("/review")[0] for _ in range(6)} == {404}


def test_failures_count_in_all_processes(folder: Path, server: str) -> None:
    add_user(folder)
    browser = Browser(server)
    assert [browser.sign_in(password="wrong")[0] for _ in range(6)] == [403] * 5 + [429]
    assert browser.sign_in()[0] == 429
    with closing(open_users(folder)) as users:
        deeds = [line.deed for line in users.log(10**9, 99)]
        assert (deeds.count(Deed.REFUSED), deeds.count(Deed.SLOWED)) == (5, 1)


@pytest.mark.parametrize("server", [{"serve_trusted_proxies": "127.0.0.1"}], indirect=True)
def test_behind_a_trusted_proxy_the_client_counts_and_not_what_it_wrote(folder: Path, server: str) -> None:
    add_user(folder)
    attacker = [Browser(server, f"198.51.100.{number}, 203.0.113.9") for number in range(6)]
    assert [page.sign_in(f"name {number}", "wrong")[0] for number, page in enumerate(attacker)] == [403] * 5 + [429]
    assert Browser(server, "203.0.113.10").sign_in()[0] == 200
    with closing(open_users(folder)) as users:
        assert users.log(10**9, 1)[0][1:5] == ("B. Ito", Deed.SIGNED_IN, "", "203.0.113.10")
