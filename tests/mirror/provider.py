"""A provider of complex objects on loopback: its OAI-PMH and its files, doing what a test tells it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5, sha1, sha256, sha512
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import gmtime, strftime
from types import SimpleNamespace
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape
from zlib import crc32

from gateway.core.model import FileLink, Statement, Work
from gateway.formats import oai_didl

ENVELOPE = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>{now}</responseDate>'
    "<request>http://x</request>{body}</OAI-PMH>"
)


def _crc32(content: bytes) -> SimpleNamespace:
    return SimpleNamespace(hexdigest=lambda: f"{crc32(content):08x}")


OTHERS = {"md5": md5, "sha1": sha1, "sha512": sha512, "crc32": _crc32}


@dataclass
class Item:
    """One object: its title, its files by name, and what the document says of them.

    That is `digest` (SHA-256), another of `OTHERS`, `size`, `modified`.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    title: str = "A title"
    says: tuple[str, ...] = ("digest", "size")
    datestamp: str = "2024-01-01T00:00:00Z"
    deleted: bool = False
    document: bytes = b""  # instead of the one that is made
    mime_type: str = "text/plain"
    modified: str = "2024-01-01T00:00:00Z"
    abouts: tuple[str, ...] = ()


@dataclass
class Provider:
    """What it holds and how it behaves. `asked` are the paths of the files that were asked for."""

    items: dict[str, Item] = field(default_factory=dict)
    page_size: int = 20
    url: str = ""
    asked: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)  # of them, those that were sent whole or in part
    tags: dict[str, str] = field(default_factory=dict)  # ETags of files that are not those of their bytes
    lists: list[dict[str, str]] = field(default_factory=list)
    faults: dict[str, Callable[[BaseHTTPRequestHandler], bool]] = field(default_factory=dict)
    has_validators: bool = True
    refusals: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)  # statuses and headers, by verb
    refused: list[str] = field(default_factory=list)  # the verbs that were refused so
    dates: dict[str, str] = field(default_factory=dict)  # Last-Modified of files that have no ETag; "": nor a date
    now: str = ""

    @property
    def last_list(self) -> dict[str, str]:
        """The last request for records, and not one that only compares names."""
        return [asked for asked in self.lists if asked["verb"] == "ListRecords"][-1]

    @property
    def base_url(self) -> str:
        return f"{self.url}/oai"

    def file_url(self, name: str) -> str:
        return f"{self.url}/files/{quote(name)}"

    def expected(self) -> dict[str, dict[str, bytes]]:
        """Return the files of every object that is there, by their names."""
        return {name: dict(item.files) for name, item in self.items.items() if not item.deleted}

    # -- OAI-PMH --

    def answer(self, arguments: dict[str, str]) -> str:
        verb = arguments.get("verb", "")
        writers = {
            "Identify": self._identify,
            "ListRecords": self._list,
            "ListIdentifiers": self._list,
            "GetRecord": self._get,
        }
        other = lambda _: '<error code="noSetHierarchy"/>'  # noqa: E731
        body = writers.get(verb, other)(arguments)
        return ENVELOPE.format(now=self.now or strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()), body=body)

    def _identify(self, _arguments):
        return (
            f"<Identify><repositoryName>Fake</repositoryName><baseURL>{self.base_url}</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
            "<earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
        )

    def _list(self, arguments):
        verb = arguments["verb"]
        self.lists.append(arguments)
        start, since = 0, arguments.get("from", "")
        if "resumptionToken" in arguments:
            since, _, number = arguments["resumptionToken"].partition("|")
            start = int(number)
        wanted = sorted((item.datestamp, name) for name, item in self.items.items() if item.datestamp >= since)
        page = wanted[start : start + self.page_size]
        if not page:
            return '<error code="noRecordsMatch"/>'
        more = start + self.page_size < len(wanted)
        token = f"{since}|{start + self.page_size}" if more else ""
        end = f'<resumptionToken completeListSize="{len(wanted)}">{token}</resumptionToken>' if more or start else ""
        write = self._record if verb == "ListRecords" else self._header
        return f"<{verb}>{''.join(write(name) for _, name in page)}{end}</{verb}>"

    def _get(self, arguments):
        name = arguments["identifier"]
        known = name in self.items
        return f"<GetRecord>{self._record(name)}</GetRecord>" if known else '<error code="idDoesNotExist"/>'

    def _header(self, name):
        item = self.items[name]
        status = ' status="deleted"' if item.deleted else ""
        return (
            f"<header{status}><identifier>{escape(name)}</identifier><datestamp>{item.datestamp}</datestamp></header>"
        )

    def _record(self, name):
        item = self.items[name]
        if item.deleted:
            return f"<record>{self._header(name)}</record>"
        document = item.document or self._didl(name)
        abouts = "".join(f"<about>{about}</about>" for about in item.abouts)
        return f"<record>{self._header(name)}<metadata>{document.decode()}</metadata>{abouts}</record>"

    def _didl(self, name):
        item = self.items[name]
        links = tuple(
            FileLink(
                self.file_url(f"{name}/{file}"),
                item.mime_type,
                size=len(content) if "size" in item.says else None,
                sha256=sha256(content).hexdigest() if "digest" in item.says else "",
                modified=item.modified if "modified" in item.says else "",
                digests=tuple((name, made(content).hexdigest()) for name, made in OTHERS.items() if name in item.says),  # type: ignore[operator]
            )
            for file, content in item.files.items()
        )
        statements = (Statement("title", item.title),)
        return oai_didl.write(Work(statements, landing_page=f"{self.url}/page", files=links))

    # -- files --

    def tag(self, name: str) -> str:
        """Return the ETag of a file."""
        return self.tags.get(name) or tag_of(self.content(f"/files/{name}") or b"")

    def content(self, path: str) -> bytes | None:
        name, _, file = unquote(path).removeprefix("/files/").rpartition("/")
        item = self.items.get(name)
        return None if item is None or item.deleted else item.files.get(file)


def tag_of(content: bytes) -> str:
    """Return the ETag of a file."""
    return f'"{sha256(content).hexdigest()[:16]}"'


def breaking_off(handler: BaseHTTPRequestHandler, part: bytes, size: int, tag: str = '"x"') -> bool:
    """Send a part of a file that is announced with its size, and close the connection: a fault."""
    handler.send_response(200)
    handler.send_header("ETag", tag)
    handler.send_header("Content-Length", str(size))
    handler.end_headers()
    handler.wfile.write(part)
    handler.close_connection = True
    return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    provider: Provider

    def log_message(self, *_arguments):
        pass

    def do_GET(self):
        path = urlsplit(self.path).path
        if path == "/oai":
            arguments = dict(parse_qsl(urlsplit(self.path).query))
            if (verb := arguments.get("verb", "")) in self.provider.refusals:
                self.provider.refused.append(verb)
                status, headers = self.provider.refusals[verb]
                return self.send(status, b"", headers)
            body = self.provider.answer(arguments).encode()
            return self.send(200, body, {"Content-Type": "text/xml"})
        if path == "/robots.txt" and path not in self.provider.faults:
            return self.send(404, b"", {})
        self.provider.asked.append(unquote(path).removeprefix("/files/"))
        fault = self.provider.faults.get(unquote(path).removeprefix("/files/"))
        if fault is not None and fault(self):
            return None
        content = self.provider.content(path)
        if content is None:
            return self.send(404, b"<html>no</html>", {"Content-Type": "text/html"})
        return self.deliver(content)

    def deliver(self, content):
        """Send a file, or the part of it that is asked for, or nothing when it has not changed."""
        name = unquote(urlsplit(self.path).path).removeprefix("/files/")
        tag = self.provider.tags.get(name) or tag_of(content)
        headers = {"Content-Type": "text/plain"}
        date = self.provider.dates.get(name)
        if date:
            headers["Last-Modified"] = date
        if self.provider.has_validators and date is None:
            headers["ETag"] = tag
        conditions = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))
        if any(name in headers and self.headers[condition] == headers[name] for name, condition in conditions):
            return self.send(304, b"", headers)
        is_part = "Range" in self.headers and self.headers["If-Range"] in (tag, date)
        start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-")) if is_part else 0
        if start >= len(content) > 0:
            return self.send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        self.provider.sent.append(name)
        if is_part:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            return self.send(206, content[start:], headers)
        return self.send(200, content, headers)

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_arguments):
        """Say nothing: clients that are killed leave in the middle."""


@contextmanager
def serving(provider: Provider | None = None, host: str = "127.0.0.1", port: int = 0) -> Iterator[Provider]:
    """Serve a provider as long as the context lasts."""
    provider = provider or Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = _Server((host, port), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)
    thread.start()
    provider.url = f"http://{host}:{server.server_address[1]}"
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
