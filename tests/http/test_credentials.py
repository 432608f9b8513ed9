"""Credentials: read when they are used, sent to the source's own origin only, and shown to nobody."""

import ssl
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError, ConnectionFailed
from harvester.http.credentials import Access, Credentials, Secret, credentials_from
from harvester.http.messages import Request
from harvester.http.urls import Origin
from tests.http.server import Server, ok, serving
from tests.rows import each_row

SECRET = "open-sesame"


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_SECRET", SECRET)


KINDS = {
    "basic": {"kind": "basic", "user": "me", "password_env": "X_SECRET"},
    "bearer": {"kind": "bearer", "token_env": "X_SECRET"},
    "header": {"kind": "header", "name": "X-Key", "value_env": "X_SECRET"},
    "query": {"kind": "query", "name": "key", "value_env": "X_SECRET"},
}
SENT = {
    "basic": ("Authorization", "Basic " + b64encode(b"me:open-sesame").decode()),
    "bearer": ("Authorization", "Bearer open-sesame"),
    "header": ("X-Key", SECRET),
}


@each_row("kind", SENT)
def test_header_carries_the_secret(server, make, kind: str):
    url = server.say("/", ok())
    answer = make(Access(url, credentials_from(KINDS[kind]))).web(Request(url, "x"))
    name, value = SENT[kind]
    assert server.asked[-1].headers[name] == value
    assert SECRET not in repr(answer)


@each_row("url, sent", [("/oai?verb=Identify", "/oai?verb=Identify&key=open-sesame"), ("/oai", "/oai?key=open-sesame")])
def test_key_in_the_address_is_sent_and_not_shown(server, make, url: str, sent: str):
    server.say("/oai", ok())
    answer = make(Access(server.url("/"), credentials_from(KINDS["query"]))).web(Request(server.url(url), "x"))
    assert server.asked[-1].path == sent
    assert answer.url == server.url(url)


@each_row("kind", KINDS)
def test_nothing_is_sent_to_another_origin_or_for_another_source(start, make, kind: str):
    own, other = start(), start()
    url = own.say("/", ok(b"", 302, Location=other.say("/", ok())))
    made = make(Access(url, credentials_from(KINDS[kind])), allow=["127.0.0.1"])
    made.web(Request(url, "x"))
    (asked,) = other.asked
    assert SECRET not in repr(asked)
    assert "Authorization" not in asked.headers
    own.asked.clear()
    made.web(Request(url, "y"))
    assert SECRET not in repr(own.asked)


@each_row("argument, kept", [("a=b&key=open-sesame", "a=b"), ("a=%20b", "a=%20b")])
def test_key_that_a_redirect_repeats_is_not_kept(server, make, argument: str, kept: str):
    url = server.say("/", ok(b"", 302, Location=f"/new?{argument}"))
    server.say("/new", ok())
    answer = make(Access(url, credentials_from(KINDS["query"]))).web(Request(url, "x"))
    assert answer.url == server.url(f"/new?{kept}")
    assert server.asked[-1].path == f"/new?{kept}&key=open-sesame"


def test_key_is_in_no_error(make):
    url = "http://127.0.0.1:9/"
    made = make(Access(url, credentials_from(KINDS["query"])), {"fetch_retries": 0})
    with pytest.raises(ConnectionFailed) as caught:
        made.web(Request(url, "x"))
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in f"{error} {error!r}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@each_row(
    "secret, repeated", [(SECRET, SECRET), ("a b&c/d", "a+b%26c%2Fd"), ("a b&c/d", "a b&amp;c/d"), ("a/b", "a/b")]
)
@each_row("sign", ["=", "%3D"])
def test_key_that_the_server_repeats_is_blotted_out(server, make, monkeypatch, secret: str, repeated: str, sign: str):
    monkeypatch.setenv("X_SECRET", secret)
    parameter = f"key{sign}{repeated}"
    url = server.say(
        "/", ok(f"<request>/?{parameter}</request><title>{repeated}</title>".encode(), Link=f"</?{parameter}>")
    )
    answer = make(Access(url, credentials_from(KINDS["query"]))).web(Request(url, "x"))
    blotted = f"key{sign}{'*' * len(repeated)}"
    assert answer.body.decode() == f"<request>/?{blotted}</request><title>{repeated}</title>"
    assert answer.header("Link") == f"</?{blotted}>"


def test_user_and_password_in_an_address_are_neither_sent_nor_shown(server, make):
    url = server.say("/", ok(b"", 302, Location=server.url("/new").replace("//", "//me:open-sesame@")))
    server.say("/new", ok())
    answer = make(url).web(Request(url.replace("//", "//me:open-sesame@"), "x"))
    assert answer.url == server.url("/new")
    assert all("Authorization" not in request.headers for request in server.asked)


def test_credentials_follow_only_to_the_encrypted_side_of_the_same_host():
    plain = Origin("http", "x.org", 80)
    assert plain.covers(Origin("https", "x.org", 443))
    assert not plain.covers(Origin("https", "x.org", 8443))
    assert not Origin("https", "x.org", 443).covers(plain)
    assert not Origin("http", "x.org", 8080).covers(Origin("https", "x.org", 443))
    assert not plain.covers(Origin("http", "y.org", 80))


def test_repr_shows_where_the_secret_is_and_not_what_it_is():
    assert "X_SECRET" in repr(credentials_from(KINDS["basic"]))
    assert SECRET not in repr([credentials_from(kind) for kind in KINDS.values()])
    assert credentials_from({}) is None


def test_secret_may_lie_in_a_file(tmp_path):
    file = tmp_path / "secret"
    file.write_text(f" {SECRET}\n")
    assert credentials_from({"kind": "bearer", "token_file": str(file)}).headers() == {
        "Authorization": f"Bearer {SECRET}"
    }


def test_missing_secret_says_where_it_should_be(tmp_path):
    with pytest.raises(ConfigurationError, match="The environment variable NO_SUCH has no secret"):
        Secret("NO_SUCH").value({})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Secret(file=str(tmp_path / "none")).value()
    (tmp_path / "two").write_text("a\nb")
    with pytest.raises(ConfigurationError, match="one line") as caught:
        Secret(file=str(tmp_path / "two")).value()
    assert "a\nb" not in str(caught.value)


def test_client_certificate_that_is_not_there_is_reported(tmp_path):
    file = tmp_path / "me.pem"
    with pytest.raises(ConfigurationError, match=r"me\.pem, which does not exist"):
        Credentials("certificate", certificate=str(file)).client_certificate()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a file with a certificate of 127.0.0.1, signed by itself, and its key."""
    file = tmp_path / "both.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    named = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "cert")]
    subprocess.run([*command.split(), *named], check=True, capture_output=True)
    file.write_bytes((tmp_path / "key").read_bytes() + (tmp_path / "cert").read_bytes())
    return file


@pytest.fixture
def secure(certificate: Path) -> Iterator[Server]:
    """Return a server that speaks TLS and wants to see the certificate of whoever asks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.load_verify_locations(certificate)
    context.verify_mode = ssl.CERT_OPTIONAL
    with serving(context) as server:
        yield server


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_client_certificate_is_shown_and_verification_may_be_switched_off(secure, make, certificate):
    shown = []

    def say(handler):
        handler.close_connection = True
        shown.append(handler.connection.getpeercert())
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<a/>")

    url = secure.say("/", say).replace("http:", "https:")
    with pytest.raises(ConnectionFailed, match="verify = false"):
        make(url).web(Request(url, "x"))
    access = Access(url, Credentials("certificate", certificate=str(certificate)), verify=False)
    assert make(access).web(Request(url, "x")).body == b"<a/>"
    assert shown[0]["subject"] == ((("commonName", "127.0.0.1"),),)
    assert make(Access(url, verify=False)).web(Request(url, "x")).body == b"<a/>"
    assert not shown[1]
