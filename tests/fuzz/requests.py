# ruff: noqa: E501 - tables have long lines
"""Requests to the application of OAI-PMH: legal ones, and mutants of them; whatever comes, an answer and no traceback."""

import traceback
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner
from flask import Flask
from lxml import etree

from gateway.cli.main import main
from gateway.core.model import Cursor, RawPage, Source
from gateway.publish.mapping import SourceFacts
from gateway.publish.publish import publish_pending
from harvester.sources.oai_pmh.answers import parse_list
from tests.fuzz.mutants import mutant
from tests.fuzz.targets import TARGETS
from tests.opening import open_inbox, open_store

_STATUSES = frozenset(
    (200, 202, 204, 206, 301, 302, 304, 308, 400, 403, 404, 405, 406, 411, 413, 414, 415, 416, 431, 451)
)
_PREFIX = "oai:gateway.example.org:laro/oai:x:"
QUERIES = tuple(
    query.encode()
    for query in (
        "verb=Identify",
        "verb=ListMetadataFormats",
        f"verb=ListMetadataFormats&identifier={_PREFIX}1",
        "verb=ListSets",
        f"verb=GetRecord&metadataPrefix=oai_dc&identifier={_PREFIX}1",
        f"verb=GetRecord&metadataPrefix=oai_didl&identifier={_PREFIX}3",
        "verb=ListRecords&metadataPrefix=oai_dc",
        "verb=ListRecords&metadataPrefix=oai_didl&from=2020-01-01&until=2030-01-01T00:00:00Z&set=source:laro",
        "verb=ListIdentifiers&metadataPrefix=oai_dc&set=source:laro:a:b~FF",
        "verb=ListRecords&resumptionToken=1.abc",
        "",
    )
)
_PATHS = (
    "/oai", "/oai", "/oai", "/oai", "/oai/", "/", "/schemas/oai_dc.xsd", "/websub/a", "/hub", "/hub",
    "/.well-known/resourcesync", "/resourcesync/batch",
    *(
        f"/resourcesync/oai_dc/source/{name}"
        for name in (
            "capabilitylist.xml",
            "resourcelist.xml",
            "resourcelist-1.xml",
            "resourcedump.xml",
            "resourcedump-1.zip",
            "changelist.xml",
            "changelist-open.xml",
            "changedump.xml",
        )
    ),
    "/resourcesync/files/resourcelist.xml", "/files/a", "/healthz", "/readyz",
)  # fmt: skip
_METHODS = ("GET", "GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "DELETE")
_FORM = "application/x-www-form-urlencoded"


def filled(folder: Path) -> None:
    """Make an instance that has published the sample of a list."""
    made = CliRunner().invoke(main, ["--instance", str(folder), "init", "--domain", "gateway.example.org"])
    assert made.exit_code == 0, made.output
    body = next(target.samples[0] for target in TARGETS if target.name == "oai_pmh.answers.parse_list")
    store, inbox = open_store(folder), open_inbox(folder)
    try:
        store.add_source(Source("laro", "http://x.org/oai"))
        page = RawPage("laro", "ListRecords", "http://x.org/oai", 1_600_000_000, 200, (), body, "oai_dc")
        inbox.receive(page, parse_list(body).slices, Cursor("laro", "oai_dc"))
        publish_pending(store, inbox, "laro", SourceFacts("laro", "http://x.org/oai", "gateway.example.org"), 10)
    finally:
        inbox.close()
        store.close()


def tokens_of(app: Flask) -> tuple[bytes, ...]:
    """Return legal requests that have a token of this repository."""
    answer = app.test_client().get("/oai?verb=ListRecords&metadataPrefix=oai_dc").data
    tokens = [element.text for element in etree.fromstring(answer).iter("{*}resumptionToken") if element.text]
    return tuple(f"verb=ListRecords&resumptionToken={token}".encode() for token in tokens)


def faults_of(app: Flask, seed: int, count: int) -> Iterator[str]:
    """Send so many requests; return a text for each that brings a traceback, or no answer."""
    app.testing = True  # errors are raised and not hidden in an answer
    chance = Random(f"{seed} requests")
    queries = (*QUERIES, *tokens_of(app))
    for number in range(count):
        request = _request(chance, queries)
        fault = _fault(app, request)
        if fault:
            yield f"request {number}: {fault}\n{ {key: value for key, value in request.items() if key.isupper()}!r}"


def _request(chance: Random, queries: tuple[bytes, ...]) -> dict[str, Any]:
    query = chance.choice(queries) if chance.random() < 0.1 else mutant(chance, queries)
    method, path = chance.choice(_METHODS), chance.choice(_PATHS)
    body = b"" if method != "POST" else query if chance.random() < 0.7 else mutant(chance, queries)
    if chance.random() < 0.1:
        path = _on_one_line(mutant(chance, (path.encode(),)))
    return {
        "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "SERVER_NAME": "x.org", "SERVER_PORT": "80",
        "QUERY_STRING": _on_one_line(query) if method != "POST" or chance.random() < 0.3 else "",
        "CONTENT_TYPE": chance.choice((_FORM, _FORM, f"{_FORM}; charset=utf-8", "text/xml", "multipart/form-data", "\xff")),
        "CONTENT_LENGTH": chance.choice((str(len(body)),) * 9 + ("", "-1", "\xb2", "9" * 30)), "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_ACCEPT_ENCODING": chance.choice(("gzip", "", "gzip;q=0", "identity;q=\xb2", "*", ",,,", "deflate, gzip;q=1.5")),
        "HTTP_IF_MODIFIED_SINCE": chance.choice(("", "Mon, 06 Jul 2020 00:00:00 GMT", "x", "Mon, 06 Jul 99999 00:00:00 GMT")),
        "HTTP_HOST": chance.choice(("x.org", "[", "a:b", "")), "HTTP_RANGE": chance.choice(("", "bytes=0-1", "bytes=\xb2-", "bytes=5-2", "bytes=-0", "bytes=9-99999999999")),
        "wsgi.input": BytesIO(body), "wsgi.errors": BytesIO(), "wsgi.version": (1, 0), "wsgi.url_scheme": "http",
        "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip


def _on_one_line(text: bytes) -> str:
    """Return a part of a request line as WSGI has it; no web server takes the end of the line for a part of it."""
    return text.replace(b"\r", b"%0D").replace(b"\n", b"%0A").decode("latin-1")


def _fault(app: Callable[..., Any], request: Mapping[str, Any]) -> str:
    """Return what is wrong with an answer; empty when nothing is."""
    head: list[str] = []

    def start(status: str, headers: list[tuple[str, str]], _: Any = None) -> None:
        head.extend((status, dict(headers).get("Content-Type", ""), dict(headers).get("Content-Encoding", "")))

    try:
        answer = app(dict(request), start)
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
    except Exception:  # noqa: BLE001 - that is what is looked for
        return traceback.format_exc(limit=-6)
    status, content_type, encoding = head
    if int(status[:3]) not in _STATUSES:
        return f"It is answered {status}."
    if (
        status.startswith("200")
        and content_type.startswith(("text/xml", "application/xml"))
        and not encoding
        and request["REQUEST_METHOD"] != "HEAD"
    ):
        try:
            etree.fromstring(body)
        except etree.XMLSyntaxError as error:
            return f"The answer is no XML: {error}. {body[:500]!r}"
    return ""
