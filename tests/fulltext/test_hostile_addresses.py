"""Addresses that strangers give us, over real connections: each ends in its outcome, in time, and within its limits."""

import gzip
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from gateway.core.errors import AddressRefused, ConfigurationError, GatewayError
from gateway.core.model import Outcome
from gateway.core.settings import load
from gateway.core.typed_links import links_of_header
from harvester.fulltext.pages import landing_page
from harvester.fulltext.polite_fetch import CachingFetch, SubstituteHosts, access_of, places_of, web_for_other_hosts
from harvester.fulltext.run import asked_for
from harvester.fulltext.steps._visit import visit
from harvester.harvest.access import access_to_files
from harvester.harvest.sources_toml import SourceEntry
from harvester.http import robots_txt as robots
from harvester.http.fetching import Web
from harvester.http.messages import Fetched, Request
from harvester.http.urls import host_of
from tests.http.server import Server, ok, until_gone
from tests.opening import open_discovery
from tests.rows import each_row

LIMITS = {
    "fetch_retries": 0,
    "fetch_max_bytes": 1_000_000,
    "fetch_deadline_seconds": 60.0,
    "fetch_read_timeout_seconds": 60.0,
}
HASTY = {**LIMITS, "fetch_deadline_seconds": 0.5, "fetch_read_timeout_seconds": 0.4}


@pytest.fixture
def fetch(tmp_path: Path) -> Iterator[Web]:
    """Return the real web, to which nothing but 127.0.0.1 is open besides public addresses."""
    with Web(load(tmp_path, environ={}, options=LIMITS), allow=["127.0.0.1"]) as web:
        yield web


def _slow(request: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then: no pause is long, and there is no end."""
    request.send_response_only(200)
    request.send_header("Content-Length", "100000")
    request.end_headers()
    for _ in range(800):
        request.wfile.write(b"x")
        request.wfile.flush()
        time.sleep(0.1)


def _endless(request: BaseHTTPRequestHandler) -> None:
    request.send_response_only(200)
    request.send_header("Content-Length", str(5_000_000_000))
    request.end_headers()
    for _ in range(3):
        request.wfile.write(b"%PDF-" + b"x" * 1_000_000)


BOMB = gzip.compress(b"\0" * 20_000_000)
STRANGE: dict[str, tuple[Any, Outcome]] = {
    "5 GB": (_endless, Outcome.BODY_TOO_LARGE),
    "a bomb of gzip": (ok(BOMB, Content_Encoding="gzip"), Outcome.BODY_TOO_LARGE),
    "a byte now and then": (_slow, Outcome.TIMEOUT),
    "silence": (until_gone, Outcome.TIMEOUT),
    "a redirect to itself": (ok(b"", 302, Location="/"), Outcome.REDIRECT_LOOP),
    "a redirect to itself, with a cookie": (ok(b"", 302, Location="/", Set_Cookie="a=1"), Outcome.BLOCKED_COOKIE),
    "a redirect into a cloud": (ok(b"", 302, Location="http://169.254.169.254/"), Outcome.PRIVATE_ADDRESS),
    "a redirect to a file": (ok(b"", 302, Location="file:///etc/passwd"), Outcome.BAD_SCHEME),
    "a redirect to a login": (ok(b"", 302, Location="/idp/profile?SAMLRequest=x"), Outcome.BLOCKED_WALL),
    "a redirect for cookies": (ok(b"", 302, Location="/action/cookieAbsent"), Outcome.BLOCKED_COOKIE),
    "an empty answer": (ok(b""), Outcome.EMPTY_BODY),
    "a refusal": (ok(b"no", 403), Outcome.FORBIDDEN),
    "a challenge": (ok(b"<html><title>Just a moment...</title>", 403), Outcome.BLOCKED_CAPTCHA),
}  # fmt: skip


@pytest.mark.slow
@each_row("name", STRANGE)
def test_what_strangers_do_has_its_outcome(tmp_path: Path, server: Server, name: str) -> None:
    response, outcome = STRANGE[name]
    limits = HASTY if outcome is Outcome.TIMEOUT else LIMITS
    with Web(load(tmp_path, environ={}, options=limits), allow=["127.0.0.1"]) as web:
        assert visit(server.say("/", response), web).outcome is outcome


def _door(request: BaseHTTPRequestHandler) -> None:
    """Let in who has the cookie; give it to the others, and send them here."""
    has_cookie = request.headers.get("Cookie") == "seen=1"
    request.send_response_only(200 if has_cookie else 302)
    if not has_cookie:
        request.send_header("Set-Cookie", "seen=1")
        request.send_header("Location", "/")
    request.send_header("Content-Length", "5")
    request.end_headers()
    request.wfile.write(b"%PDF-")


@pytest.mark.slow
def test_who_keeps_cookies_is_let_in_by_each_work_anew(fetch: Web, server: Server, tmp_path: Path) -> None:
    url, discovery = server.say("/", _door), open_discovery(tmp_path)
    remembering = CachingFetch(fetch, discovery, time.time)
    for work in ("one", "another", "one"):  # the answers of files are not kept
        asked = partial(asked_for, work, remembering)
        assert visit(url, asked).outcome is Outcome.SUCCESS
        asked(Request(server.say(f"/{work}", ok(b"%PDF-"))))
    discovery.close()
    assert [request.headers.get("Cookie") for request in server.asked if request.path == "/"][:4] == [
        None,
        "seen=1",
    ] * 2


@each_row("host", [
    *("0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.2", "169.254.169.254", "192.168.0.1:8080", "224.0.0.1"),
    *("[::1]", "[fe80::1]", "[fd12:3456::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::ffff:10.0.0.1]"),
    *("2130706434", "0x7f000002", "0177.0.0.2", "127.2", "user:secret@10.0.0.1", "localhost:1@127.0.0.2"),
])  # fmt: skip
def test_nobody_sends_a_search_into_a_private_network(fetch: Web, host: str) -> None:
    assert visit(f"http://{host}/x", fetch).outcome is Outcome.PRIVATE_ADDRESS


def test_a_name_that_changes_its_answer_gains_nothing(tmp_path: Path, server: Server) -> None:
    """Each time it is asked the name has another address; what was judged is what is connected to."""
    places: Iterator[str] = iter(("127.0.0.1", "10.0.0.1", "127.0.0.1"))
    port = int(server.address.partition(":")[2])
    server.say("/", ok(b"<p>x"))

    def resolve(_host: str, _port: int, **_options: Any) -> list[tuple]:
        return [(2, 1, 6, "", (next(places), port))]

    with Web(load(tmp_path, environ={}, options=LIMITS), allow=["127.0.0.1"], resolve=resolve) as web:
        assert visit(f"http://changing.example.org:{port}/", web).outcome is Outcome.SUCCESS
        web.close()
        assert visit(f"http://changing.example.org:{port}/", web).outcome is Outcome.PRIVATE_ADDRESS


@each_row("url", ["http://[", "http://a\u2100b/", "", "mailto:x"])
def test_address_without_a_host_is_read_as_one(url: str):
    page = landing_page.read(b'<a href="x.pdf">PDF</a><link rel="item" href="y">', url)
    assert isinstance(page, landing_page.Page)
    assert host_of(url) == ""
    assert robots.robots_url(url).endswith("/robots.txt")
    assert list(links_of_header((f"<{url}>; rel=item",), "http://x.org/")) is not None


def test_page_that_names_an_impossible_host_is_read():
    body = "<a href='http://a\u2100b/x.pdf'>PDF</a><base href='http://['><meta name=citation_pdf_url content='//['>"
    assert landing_page.read(body.encode(), "http://x.org/1").outcome is None


TEXT = "https://api.crossref.org=http://10.0.0.1/crossref https://=http://127.0.0.1:8082/"


def test_what_has_another_place_is_asked_there_with_its_permission() -> None:
    asked = []

    def fetch(request: Request) -> Fetched:
        asked.append((request.url, request.source))
        return Fetched(request.url, 200, (), b"", 0)

    places = places_of(TEXT)
    for url in ("https://api.crossref.org/works/10.1", "https://x.example.org/1", "http://x.example.org/1"):
        assert SubstituteHosts(fetch, places)(Request(url)).url == url
    assert asked == [
        ("http://10.0.0.1/crossref/works/10.1", "http://10.0.0.1/crossref"),
        ("http://127.0.0.1:8082/x.example.org/1", "http://127.0.0.1:8082/"),
        ("http://x.example.org/1", ""),
    ]
    assert {access.url for access in access_of(places).values()} == {
        "http://10.0.0.1/crossref",
        "http://127.0.0.1:8082/",
    }


@each_row("text", ["x", "https://a=", "ftp://a=http://b/"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="Write address=address"):
        places_of(text)


def test_strangers_are_asked_at_the_ports_of_the_web_and_mirrors_at_their_own(tmp_path) -> None:
    """Port 1 of this machine refuses everybody: whoever comes so far was not refused by us."""
    instead = "http://127.0.0.1:1/"
    settings = load(tmp_path, environ={}, options={"discover_instead": f"https://x.example.org={instead}"})
    sources = access_to_files(
        [
            SourceEntry("laro", "http://127.0.0.1:1/oai", address="loopback", allow=("127.0.0.1:3",)),
            SourceEntry("files", "file:///tmp/records", kind="files", allow=("127.0.0.1:3",)),
        ]
    )
    in_file = "oai:gateway.example.org:files/1"
    with web_for_other_hosts(settings, lambda _: None, sources) as web:
        for url in ("http://8.8.8.8:22/", "https://8.8.8.8:6379/x"):
            with pytest.raises(AddressRefused, match=r"Port \d+ of .* is not among the allowed ports"):
                web(Request(url))
        with pytest.raises(AddressRefused, match=r"127.0.0.1 port 2 .*loopback"):
            web(Request("http://127.0.0.1:2/", source=instead))
        own, item, other = (
            "http://127.0.0.1:1/file.pdf",
            "oai:gateway.example.org:laro/1",
            "oai:gateway.example.org:x/1",
        )
        with pytest.raises(AddressRefused, match=r"127.0.0.1:1.* in the entry of the source"):
            web(Request(own, source=other))
        with pytest.raises(AddressRefused, match="loopback"):
            web(Request(own, source=in_file))
        for url, source in (
            (instead, instead),
            (own, item),
            *(("http://127.0.0.1:3/file.pdf", one) for one in (item, in_file)),
        ):
            with pytest.raises(GatewayError) as refused:
                web(Request(url, source=source))
            assert not isinstance(refused.value, AddressRefused)
