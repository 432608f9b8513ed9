"""The provider as it runs: gunicorn, the real store, HTTP from outside, and harvesters that others wrote."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from lxml import etree
from oaipmh_scythe import Scythe
from sickle import Sickle

from gateway.model import Format, ItemChange, Publication, Record, SetDescription, Source
from gateway.serve import name_of_this_host
from gateway.store.opening import open_store
from gateway.upkeep import make
from gateway.xmltext import DC, OAI_DC, XSI, utc_datetime
from tests.conftest import ROOT
from tests.rows import each_row

pytestmark = pytest.mark.slow

PATIENCE_SECONDS = 240.0  # a busy machine is no defect
COUNT = 257
DELETED = {3, 250}
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
# The order of lists: by publication, then by the sets of the items, then as they were published.
ORDER = sorted(range(COUNT), key=lambda number: (number // 100, number % 2 == 0))
GATEWAY = str(Path(sys.executable).with_name("gateway"))


def content(number: int, datestamp: int) -> bytes:
    identifier = f"oai:gateway.example.org:laro/{number}"
    header = f"<identifier>{identifier}</identifier><datestamp>{utc_datetime(datestamp)}</datestamp>"
    header += f"<setSpec>source:laro{':even' if number % 2 == 0 else ''}</setSpec>"
    if number in DELETED:
        return f'<record><header status="deleted">{header}</header></record>'.encode()
    return (
        f'<record><header>{header}</header><metadata><oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" '
        f'xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_DC} {SCHEMA}"><dc:title>Work {number} — à lire</dc:title>'
        f"</oai_dc:dc></metadata></record>"
    ).encode()


@pytest.fixture(scope="module")
def instance(tmp_path_factory) -> Path:
    """Make an instance with 257 works, two of them deleted, published in three steps."""
    folder = tmp_path_factory.mktemp("instance")
    make(folder, {"repository_name": "Test", "admin_email": "a@gateway.example.org"})
    store = open_store(folder)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    store.add_format(Format("oai_dc", SCHEMA, OAI_DC))
    store.add_sets([SetDescription("source:laro", "LARO"), SetDescription("source:laro:even", "Even")])
    for start in range(0, COUNT, 100):
        intent = store.intend()
        changes = []
        for number in range(start, min(start + 100, COUNT)):
            is_deleted = number in DELETED
            record = Record("oai_dc", b"%016d" % number, is_deleted, content(number, intent.datestamp))
            spec = "source:laro:even" if number % 2 == 0 else "source:laro"
            identifier = f"oai:gateway.example.org:laro/{number}"
            changes.append(ItemChange(str(number), identifier, is_deleted, (spec,), (), (record,)))
        store.publish(intent, Publication("laro", tuple(changes)))
    store.close()
    return folder


@contextmanager
def serving(instance: Path, *words: str, **environment: str) -> Iterator[str]:
    """Start `gateway serve`; give its base URL as it prints it; end it gently and see that it ends well."""
    command = [GATEWAY, "--instance", str(instance), "serve", "--port", "0", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | environment)
    try:
        line = process.stderr.readline()
        assert line.startswith("Serving "), line + process.stderr.read()
        yield line.split()[1]
    finally:
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, rest) == (0, "")


@pytest.fixture(scope="module")
def base_url(instance) -> Iterator[str]:
    with serving(instance, GATEWAY_OAI_PAGE_SIZE="20") as url:
        yield url


@pytest.fixture
def send(base_url) -> Iterator[Callable[..., tuple[http.client.HTTPResponse, bytes]]]:
    """Return a function that sends one request over a connection that is kept."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE_SECONDS)

    def request(method: str, query: str = "", body: object = None, **headers: str):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, f"/oai?{query}" if query else "/oai", body, fields)  # type: ignore[arg-type]
        answer = connection.getresponse()
        return answer, answer.read()

    yield request
    connection.close()


FORM = "application/x-www-form-urlencoded"


def test_identify_gives_the_address_it_serves_on(send, base_url):
    answer, body = send("GET", "verb=Identify", Host="evil.example.org")
    assert answer.getheader("Content-Type") == "text/xml; charset=UTF-8"
    assert f"<baseURL>{base_url}</baseURL>".encode() in body


def test_a_base_url_of_the_settings_is_announced_exactly(instance):
    with serving(instance, GATEWAY_BASE_URL="https://repo.example.org/x/oai", GATEWAY_SERVE_WORKERS="1") as url:
        body = Sickle(url).Identify().raw
    assert "<baseURL>https://repo.example.org/x/oai</baseURL>" in body


@each_row(
    "words, environment, sentence",
    [
        (("--host", "0.0.0.0"), {}, "Identify announces http://{host}:{port}/oai, with the name of this host. "),
        ((), {"GATEWAY_BASE_URL": "http://repo.example.org"}, "The base_url http://repo.example.org does not end "),
    ],
)
def test_an_address_where_nobody_may_be_found_is_reported(instance, words, environment, sentence):
    command = [GATEWAY, "--instance", str(instance), "serve", "--port", "0", *words]
    surroundings = os.environ | environment | {"GATEWAY_SERVE_WORKERS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=surroundings) as process:
        warning, serving = process.stderr.readline(), process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
    port = urlsplit(serving.split()[1]).port
    assert warning.startswith(sentence.format(host=name_of_this_host(), port=port))


def test_no_header_says_where_the_application_lies(base_url):
    """Gunicorn lets a peer on loopback, a proxy that forwards everything perhaps, set SCRIPT_NAME by a header."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/oai?verb=Identify", headers={"SCRIPT_NAME": "/evil"})
    answer = connection.getresponse()
    assert (answer.status, b"<Identify>" in answer.read()) == (200, True)
    connection.close()


def test_get_post_and_head_agree(send):
    query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/1"
    got, body = send("GET", query)
    posted, posted_body = send("POST", "", query, Content_Type=FORM)
    head, nothing = send("HEAD", query)
    assert re.sub(rb"<responseDate>.*?</responseDate>", b"", body) == re.sub(
        rb"<responseDate>.*?</responseDate>", b"", posted_body
    )
    assert nothing == b""
    assert head.getheader("Content-Length") == got.getheader("Content-Length") == str(len(body))
    assert head.getheader("ETag") == got.getheader("ETag") == posted.getheader("ETag")
    unchanged, nothing = send("GET", query, If_None_Match=got.getheader("ETag"))
    assert (unchanged.status, nothing) == (304, b"")


@each_row("size", [100_000, 900_000])
def test_long_arguments_arrive_by_get_and_post(send, size):
    query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:x:" + "a" * size
    for answer, body in (send("GET", query), send("POST", "", query, Content_Type=FORM)):
        assert answer.status == 200
        assert b'<error code="idDoesNotExist">' in body
        assert len(body) > size


def test_arguments_beyond_the_limit_are_a_bad_argument(send):
    query = "verb=Identify&x=" + "a" * 1_500_000
    chunked = (query[start : start + 50_000].encode() for start in range(0, len(query), 50_000))
    for answer, body in (
        send("GET", query),
        send("POST", "", query, Content_Type=FORM),
        send("POST", "", chunked, Content_Type=FORM),
        send("GET", "verb=Identify"),
    ):
        assert answer.status == 200
        assert (b'<error code="badArgument">The arguments are longer' in body) == (b"<Identify>" not in body)


def test_a_chunked_body_is_read(send):
    answer, body = send("POST", "", iter([b"verb=Ident", b"ify"]), Content_Type=FORM)
    assert answer.status == 200
    assert b"<Identify>" in body


def test_every_answer_of_a_list_is_valid_and_the_list_is_complete(send):
    schema = etree.XMLSchema(file=ROOT / "schemas" / "OAI-PMH.xsd")
    query, cursors, seen = "verb=ListRecords&metadataPrefix=oai_dc", [], []
    while query:
        _, body = send("GET", query, Accept_Encoding="identity")
        root = etree.fromstring(body)
        schema.assertValid(root)
        seen += [element.text for element in root.iterfind(".//{*}header/{*}identifier")]
        token = root.find(".//{*}resumptionToken")
        assert token.get("completeListSize") == str(COUNT)
        cursors.append(int(token.get("cursor")))
        query = f"verb=ListRecords&resumptionToken={quote(token.text)}" if token.text else ""
    assert cursors == list(range(0, COUNT, 20))
    assert seen == [f"oai:gateway.example.org:laro/{number}" for number in ORDER]


def test_a_token_outlives_the_server(instance):
    def page(url: str, query: str) -> etree._Element:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE_SECONDS)
        connection.request("GET", f"{parts.path}?{query}")
        root = etree.fromstring(connection.getresponse().read())
        connection.close()
        return root

    settings = {"GATEWAY_OAI_PAGE_SIZE": "100", "GATEWAY_SERVE_WORKERS": "1"}
    with serving(instance, **settings) as url:
        token = page(url, "verb=ListIdentifiers&metadataPrefix=oai_dc").findtext(".//{*}resumptionToken")
    with serving(instance, **settings) as url:
        root = page(url, f"verb=ListIdentifiers&resumptionToken={token}")
        assert root.findtext(".//{*}identifier") == f"oai:gateway.example.org:laro/{ORDER[100]}"
        again = page(url, f"verb=ListIdentifiers&resumptionToken={token}")
        assert [element.text for element in root.iter("{*}identifier")] == [
            element.text for element in again.iter("{*}identifier")
        ]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_sickle_harvests_everything(base_url, method):
    client = Sickle(base_url, http_method=method)
    records = list(client.ListRecords(metadataPrefix="oai_dc"))
    assert len(records) == COUNT
    assert {int(record.header.identifier.split("/")[1]) for record in records if record.deleted} == DELETED
    assert records[0].metadata == {"title": [f"Work {ORDER[0]} — à lire"]}
    assert len(list(client.ListIdentifiers(metadataPrefix="oai_dc", set="source:laro:even"))) == (COUNT + 1) // 2
    assert len(list(client.ListIdentifiers(metadataPrefix="oai_dc", ignore_deleted=True))) == COUNT - len(DELETED)
    assert {set_.setSpec for set_ in client.ListSets()} >= {"source", "source:laro", "source:laro:even"}


def test_scythe_harvests_everything(base_url):
    with Scythe(base_url) as client:
        records = list(client.list_records(metadata_prefix="oai_dc"))
        assert len(records) == COUNT
        assert sum(record.header.deleted for record in records) == len(DELETED)  # type: ignore[union-attr]
        assert len(list(client.list_identifiers(metadata_prefix="oai_dc"))) == COUNT
        assert client.identify().baseURL == base_url


def test_a_request_in_flight_is_answered_when_the_server_ends(instance):
    command = [GATEWAY, "--instance", str(instance), "serve", "--port", "0"]
    environment = os.environ | {"GATEWAY_SERVE_WORKERS": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    parts = urlsplit(process.stderr.readline().split()[1])
    idle = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE_SECONDS)
    idle.request("GET", f"{parts.path}?verb=Identify")
    assert b"<Identify>" in idle.getresponse().read()
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_SECONDS) as working:
        head = f"POST {parts.path} HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\nContent-Length: 13\r\n"
        working.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert working.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        working.sendall(b"verb=Ide")
        process.send_signal(signal.SIGTERM)
        assert idle.sock.recv(1) == b""  # the end has begun
        working.sendall(b"ntify")
        assert b"<Identify>" in b"".join(iter(lambda: working.recv(65_536), b""))
    idle.close()
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0


def test_every_request_is_a_line_in_the_access_log(instance, tmp_path):
    log = tmp_path / "access.log"
    with serving(instance, "--access-log", str(log), GATEWAY_SERVE_WORKERS="1") as url:
        Sickle(url).Identify()
    assert '"GET /oai?verb=Identify HTTP/1.1" 200' in log.read_text()


@each_row(
    "identifier, sentence",
    [
        ("oai:\xc3\xa9", b"is not a URI"),
        ("oai:\x01\x00", b"has a character that XML forbids"),
        ("oai: x", b"is not a URI"),
        ("\xff", b"is not UTF-8"),
    ],
)
def test_bytes_that_nobody_escaped_get_the_error_of_the_protocol(base_url, identifier, sentence):
    with socket.create_connection(
        (urlsplit(base_url).hostname, urlsplit(base_url).port), timeout=PATIENCE_SECONDS
    ) as connection:
        line = f"GET /oai?verb=GetRecord&metadataPrefix=oai_dc&identifier={identifier} HTTP/1.0\r\n\r\n"
        connection.sendall(line.encode("latin-1"))
        with connection.makefile("rb") as stream:
            answer = stream.read()
    assert answer.startswith(b"HTTP/1.0 200 OK")
    assert b'code="badArgument"' in answer
    assert sentence in answer


def test_a_body_whose_chunks_are_none_is_a_bad_request(base_url):
    with socket.create_connection(
        (urlsplit(base_url).hostname, urlsplit(base_url).port), timeout=PATIENCE_SECONDS
    ) as connection:
        head = "POST /oai HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode())
        with connection.makefile("rb") as stream:
            answer = stream.read()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"The request cannot be read" in answer
