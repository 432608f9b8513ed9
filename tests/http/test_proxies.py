"""Proxies that the environment names: which requests go there, and what the address guard can still judge."""

import logging
import socket
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socket import getaddrinfo
from urllib.parse import urlsplit, urlunsplit

import pytest

from gateway.core.errors import AddressRefused, ConfigurationError, ConnectionFailed
from harvester.http.address_guard import Proxies, shown_proxy
from harvester.http.credentials import Access
from harvester.http.messages import Request
from tests.http.authority import authority, server_context
from tests.http.server import Server, listening, ok, serving
from tests.rows import each_row


@dataclass
class Proxy:
    """What it was asked for, and where the names that it is asked for are: (host, port) by host."""

    names: dict[str, tuple[str, int]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    wants: str = ""  # the Proxy-Authorization without which it answers 407
    address: str = ""


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(1 << 16):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _is_let_in(self) -> bool:
            given = self.headers.get("Proxy-Authorization", "")
            proxy.authorizations.append(given)
            proxy.asked.append((self.command, self.path))
            if not proxy.wants or given == proxy.wants:
                return True
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False

        def do_CONNECT(self) -> None:
            if not self._is_let_in():
                return
            with socket.create_connection(proxy.names[self.path.rpartition(":")[0]]) as there:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_pump, args=(there, self.connection))
                back.start()
                _pump(self.connection, there)
                back.join()

        def do_GET(self) -> None:
            if not self._is_let_in():
                return
            parts = urlsplit(self.path)
            with socket.create_connection(proxy.names[parts.hostname or ""]) as there:
                wanted = urlunsplit(parts._replace(scheme="", netloc="")) or "/"
                head = f"GET {wanted} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
                there.sendall(head.encode())
                _pump(there, self.connection)

    return Handler


@contextmanager
def proxying() -> Iterator[Proxy]:
    """Serve a proxy inside the block."""
    proxy = Proxy()
    with listening(_handler(proxy)) as proxy.address:
        yield proxy


BOTH = {"HTTP_PROXY": "http://p.example.org:3128", "https_proxy": "p.example.org:3129"}


@each_row(
    "environ, url, expected",
    [
        ({}, ("http", "h.example.org", 80), ""),
        (BOTH, ("http", "h.example.org", 80), "http://p.example.org:3128"),
        (BOTH, ("https", "h.example.org", 443), "http://p.example.org:3129"),
        ({**BOTH, "http_proxy": "http://small.example.org"}, ("http", "h", 80), "http://small.example.org"),
        ({**BOTH, "ALL_PROXY": "socks://localhost:1080"}, ("http", "h.example.org", 80), "http://p.example.org:3128"),
        *((BOTH, ("http", host, 80), "") for host in ("localhost", "127.0.0.1", "::1", "127.1", "a.localhost")),
    ],
)
def test_the_environment_names_the_proxies(environ, url, expected):
    assert Proxies(environ).of(*url) == expected


@each_row(
    "no_proxy, host, port, is_direct",
    [
        ("*", "h.example.org", 80, True),
        ("example.org", "h.example.org", 80, True),
        ("*.example.org", "h.example.org", 80, True),
        ("example.org", "example.org", 80, True),
        ("example.org", "badexample.org", 80, False),
        (" a.test , EXAMPLE.org ", "h.Example.Org.", 80, True),
        ("h.example.org:8080", "h.example.org", 8080, True),
        ("h.example.org:8080", "h.example.org", 80, False),
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("[fd00::1]", "fd00::1", 80, True),
        ("[fd00::1]:80", "fd00::1", 80, True),
        ("", "h.example.org", 80, False),
    ],
)
def test_no_proxy_names_what_is_reached_directly(no_proxy, host, port, is_direct):
    proxy_url = Proxies({**BOTH, "NO_PROXY": no_proxy}).of("http", host, port)
    assert (proxy_url == "") == is_direct


@each_row("proxy", ["socks5://p:1080", "http://", "http://p:x", "http://secret:secret@[p", "http://p:0"])
def test_what_is_no_address_of_a_proxy_is_told_without_its_credentials(proxy):
    with pytest.raises(ConfigurationError, match="HTTP_PROXY is not a valid address of a proxy") as caught:
        Proxies({"HTTP_PROXY": proxy})
    assert "secret" not in str(caught.value)


def test_credentials_of_a_proxy_are_not_shown():
    assert shown_proxy("http://user:secret@p.example.org:3128") == "http://p.example.org:3128"


# --- a real proxy -------------------------------------------------------------------------------------------------


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """Return a proxy that is running."""
    with proxying() as running:
        yield running


@pytest.fixture
def through(make, proxy):
    """Return a function that makes a `Web` which knows the proxy, and must look no other name up."""

    def through(access=None, credentials="", **options):
        def resolve(host, port, **_):
            raise AssertionError(f"{host} was looked up")

        def of_proxy(host, port, **more):
            return getaddrinfo(host, port, **more) if f"{host}:{port}" == proxy.address else resolve(host, port)

        address = f"http://{credentials}{proxy.address}"
        return make(access, environ={"HTTP_PROXY": address, "HTTPS_PROXY": address}, resolve=of_proxy, **options)

    return through


def _lead(proxy: Proxy, server: Server, *names: str) -> None:
    """Let the proxy find a server under these names."""
    host, port = server.address.split(":")
    proxy.names |= dict.fromkeys(names, (host, int(port)))


def test_a_plain_request_goes_to_the_proxy_in_absolute_form(server, proxy, through):
    server.say("/oai", ok(b"<ok/>"))
    _lead(proxy, server, "repo.example.org")
    answer = through().web(Request("http://repo.example.org/oai"))
    assert (answer.status, answer.body, answer.url) == (200, b"<ok/>", "http://repo.example.org/oai")
    assert proxy.asked == [("GET", "http://repo.example.org/oai")]
    assert server.asked[0].headers["Host"] == "repo.example.org"


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_an_encrypted_request_goes_through_a_tunnel_and_the_server_is_verified(proxy, through, tmp_path):
    bundle = authority(tmp_path)
    with serving(server_context(tmp_path, "repo.example.org")) as server:
        server.say("/oai", ok(b"<ok/>"))
        _lead(proxy, server, "repo.example.org", "other.example.org")
        access = Access("https://repo.example.org/oai", ca_bundle=str(bundle))
        assert through(access).web(Request("https://repo.example.org/oai", "x")).body == b"<ok/>"
        assert proxy.asked == [("CONNECT", "repo.example.org:443")]
        with pytest.raises(ConnectionFailed, match=r"TLS failed.*other.example.org"):
            through(access).web(Request("https://other.example.org/oai", "x"))
        with pytest.raises(ConnectionFailed, match=r"TLS failed.*set ca_bundle"):
            through().web(Request("https://repo.example.org/oai"))


def test_a_proxy_that_wants_credentials_gets_them_and_nobody_sees_them(server, proxy, through, caplog):
    caplog.set_level(logging.DEBUG)
    server.say("/", ok())
    _lead(proxy, server, "repo.example.org")
    proxy.wants = "Basic " + b64encode(b"me:s3cret").decode()
    assert through(credentials="me:s3cret@").web(Request("http://repo.example.org/")).status == 200
    assert "Proxy-Authorization" not in server.asked[0].headers
    with pytest.raises(ConnectionFailed, match="407") as caught:
        through(credentials="me:s3cret-wrong@").web(Request("https://repo.example.org/"))
    assert "through the proxy http://127.0.0.1" in str(caught.value)
    assert "s3cret" not in caplog.text + str(caught.value)


def test_a_proxy_that_is_not_there_is_told_in_seconds_without_its_credentials(proxy, through):
    proxy.address = "127.0.0.1:1"
    made = through(credentials="me:s3cret@")
    with pytest.raises(
        ConnectionFailed, match=r"\(through the proxy http://127.0.0.1:1\): Connection refused"
    ) as caught:
        made.web(Request("http://repo.example.org/"))
    assert sum(made.pauses) <= 3
    assert "s3cret" not in str(caught.value)


PRIVATE = [
    "10.1.2.3",
    "169.254.169.254",
    "192.0.0.192",
    "[fd00::1]",
    "167838211",
    "intranet",
    "wiki.internal",
    "a.local",
]
NO_NAMES = ["a.example.org\\\\", "a..example.org", "a%2eb.example.org", "a.example.org;b", "a,b.example.org"]


@each_row(
    "url, sentence",
    [
        *((f"{scheme}://{host}/", "allow it: allow = ") for scheme in ("http", "https") for host in PRIVATE),
        *((f"http://{host}/", "not a valid host name") for host in NO_NAMES),
    ],
)
def test_a_proxy_is_not_asked_for_private_addresses_local_names_and_what_is_no_name(proxy, through, url, sentence):
    with pytest.raises(AddressRefused, match=sentence):
        through().web(Request(url))
    assert proxy.asked == []


def test_a_redirect_to_a_local_name_does_not_reach_the_proxy(server, proxy, through):
    server.say("/", ok(b"", 302, Location="http://metadata.google.internal/computeMetadata/v1/"))
    _lead(proxy, server, "repo.example.org")
    with pytest.raises(AddressRefused, match=r"redirects to http://metadata.google.internal.* local network"):
        through().web(Request("http://repo.example.org/"))
    assert len(proxy.asked) == 1


def test_a_source_or_an_allowed_host_may_have_a_local_name_behind_a_proxy(server, proxy, through):
    server.say("/", ok())
    _lead(proxy, server, "laro.intranet", "files", "10.1.2.3")
    made = through(Access("http://laro.intranet/", allow=("files:80", "10.0.0.0/8")))
    for url in ("http://laro.intranet/", "http://files/", "http://10.1.2.3/"):
        assert made.web(Request(url, "x")).status == 200
    with pytest.raises(AddressRefused, match="local network"):
        made.web(Request("http://files:81/", "x"))
