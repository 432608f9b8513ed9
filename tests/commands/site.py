"""Everything that the commands ask, on loopback: a repository, a resource list, a hub, and a Crossref."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.audit.crossref import Crossref, deposited
from tests.oai_repository import Item, Repository

RESOURCE_LIST = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
  <rs:md capability="resourcelist" at="2024-01-01T00:00:00Z"/>
  <url><loc>{site}/rs/1.xml</loc><lastmod>2023-01-01T00:00:00Z</lastmod></url>
</urlset>"""


@dataclass
class Site:
    """`before` is called with the path of every request; what it returns, if anything, is answered instead."""

    url: str = ""
    repository: Repository = field(default_factory=Repository)
    crossref: Crossref = field(default_factory=Crossref)
    before: Callable[[BaseHTTPRequestHandler], bool] = lambda _: False

    @property
    def oai(self) -> str:
        """The base URL of the repository."""
        return f"{self.url}/oai"


def _answer(site: Site, handler: BaseHTTPRequestHandler) -> tuple[int, bytes, dict[str, str]]:
    parts = urlsplit(handler.path)
    if handler.command == "POST":
        return 202, b"", {}
    if parts.path == "/oai":
        return 200, site.repository.answer(dict(parse_qsl(parts.query, keep_blank_values=True))).encode(), {}
    if parts.path == "/rs/list.xml":
        link = f'<{site.url}/hub>; rel="hub", <{site.url}/rs/list.xml>; rel="self"'
        return 200, RESOURCE_LIST.format(site=site.url).encode(), {"Link": link}
    if parts.path.startswith("/crossref/"):
        status, document = site.crossref.answer(handler.path.removeprefix("/crossref"))
        return status, document if isinstance(document, bytes) else json.dumps(document).encode(), {}
    return 404, b"Nothing is here.", {}


@contextmanager
def serving() -> Iterator[Site]:
    """Serve a site until the end of the block."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            if site.before(self):
                return
            status, body, headers = _answer(site, self)
            self.send_response(status)
            self.send_header("Content-Type", "text/xml; charset=UTF-8")
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.do_GET()

        def handle(self):
            with suppress(ConnectionError, ValueError):  # the client was ended
                super().handle()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    site.repository.url = site.oai
    site.repository.fill(12)
    site.repository.items["nameless"] = Item("", "A record without an identifier")
    site.crossref.works = [deposited("10.5555/1", "Work one")]
    thread = threading.Thread(target=server.serve_forever, args=(0.002,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
