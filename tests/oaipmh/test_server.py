"""The provider as it runs: gunicorn, the real store, HTTP from outside, and harvesters that others wrote."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from lxml import etree

from gateway.core.model import Format, ItemChange, Publication, Record, SetDescription, Source
from gateway.core.xmltext import DC, OAI_DC, XSI, utc_datetime
from gateway.ops.upkeep import make
from tests.conftest import ROOT
from tests.opening import open_store
from tests.rows import each_row

pytestmark = pytest.mark.slow

PATIENCE_SECONDS = 240.0  # a busy machine is no defect
COUNT = 57
DELETED = {3, 50}
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
ORDER = sorted(range(COUNT), key=lambda number: number % 2 == 0)  # by the sets of the items, then as published
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
    """Make an instance with some works, two of them deleted."""
    folder = tmp_path_factory.mktemp("instance")
    make(folder, {"repository_name": "Test", "admin_email": "a@gateway.example.org"})
    store = open_store(folder)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    store.add_format(Format("oai_dc", SCHEMA, OAI_DC))
    store.add_sets([SetDescription("source:laro", "LARO"), SetDescription("source:laro:even", "Even")])
    intent, changes = store.intend(), []
    for number in range(COUNT):
        is_deleted = number in DELETED
        record = Record("oai_dc", b"%016d" % number, is_deleted, content(number, intent.datestamp))
        spec = "source:laro:even" if number % 2 == 0 else "source:laro"
        identifier = f"oai:gateway.example.org:laro/{number}"
        changes.append(ItemChange(str(number), identifier, is_deleted, (spec,), (), (record,)))
    store.publish(intent, Publication("laro", tuple(changes)))
    store.close()
    return folder


@pytest.fixture(scope="module")
def base_url(instance) -> Iterator[str]:
    """Start `gateway serve`; give its base URL as it prints it; end it gently and see that it ends well."""
    command = [GATEWAY, "--instance", str(instance), "serve", "--port", "0"]
    surroundings = os.environ | {"GATEWAY_OAI_PAGE_SIZE": "20"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=surroundings)
    try:
        line = process.stderr.readline()
        assert line.startswith("Serving "), line + process.stderr.read()
        yield line.split()[1]
    finally:
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, rest) == (0, "")


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


def test_no_header_says_where_the_application_lies(base_url):
    """Gunicorn lets a peer on loopback, a proxy that forwards everything perhaps, set SCRIPT_NAME by a header."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/oai?verb=Identify", headers={"SCRIPT_NAME": "/evil"})
    answer = connection.getresponse()
    assert (answer.status, b"<Identify>" in answer.read()) == (200, True)
    connection.close()


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
    place = urlsplit(base_url)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE_SECONDS) as connection:
        line = f"GET /oai?verb=GetRecord&metadataPrefix=oai_dc&identifier={identifier} HTTP/1.0\r\n\r\n"
        connection.sendall(line.encode("latin-1"))
        with connection.makefile("rb") as stream:
            answer = stream.read()
    assert answer.startswith(b"HTTP/1.0 200 OK")
    assert b'code="badArgument"' in answer
    assert sentence in answer
