"""A double of Crossref and doi.org: lists by cursor, journals, members, and who registered which DOI."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from harvester.http.messages import Fetched, Request

JOURNAL = "Journal of Proofs"
ISSN, ELECTRONIC = "1234-5679", "2434-561X"


def deposited(doi: str, title: str, year: int | None = 2020, **more: object) -> dict[str, object]:
    """Return a work as Crossref has it."""
    return {
        "DOI": doi,
        "title": [title],
        "type": "journal-article",
        "container-title": [JOURNAL],
        "ISSN": [ISSN, ELECTRONIC],
        "issued": {"date-parts": [[year, 3]]},
        "created": f"{year or 2020}-05-01",
        **more,
    }


@dataclass
class Crossref:
    """What it has, and how it behaves. `asked` are the addresses that were asked for, without whom they name."""

    works: list[dict[str, object]] = field(default_factory=list)
    agencies: dict[str, str] = field(default_factory=dict)
    page_size: int = 1000
    lost: int = 0  # works that it announces and never sends
    epoch: int = 0  # cursors of an earlier epoch are forgotten
    asked: list[str] = field(default_factory=list)
    before: Callable[[str], None] = lambda _url: None
    url: str = "https://api.crossref.org"

    def __call__(self, request: Request) -> Fetched:
        """Answer as a `fetch`."""
        status, document = self.answer(request.url)
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return Fetched(request.url, status, (), body, 0)

    def answer(self, url: str) -> tuple[int, object]:
        """Return status and document."""
        self.asked.append(url)
        self.before(url)
        parts = urlsplit(url)
        path = unquote(parts.path).lstrip("/").split("/", 1)
        if path[0] == "works":
            return self._works({name: values[0] for name, values in parse_qs(parts.query).items()})
        if path[0] == "ra":
            agency = self.agencies.get(path[1])
            return 200, [{"DOI": path[1], **({"RA": agency} if agency else {"status": "DOI does not exist"})}]
        known = {"journals/" + ISSN: {"ISSN": [ISSN, ELECTRONIC]}, "members/78": {"prefixes": ["10.5555"]}}
        message = known.get("/".join(path))
        return (200, {"message": message}) if message else (404, b"Resource not found.")

    def _works(self, asked: dict[str, str]) -> tuple[int, object]:
        bounds = dict(condition.split(":", 1) for condition in asked["filter"].split(","))
        since, until = bounds.get("from-created-date", ""), bounds.get("until-created-date", "9")
        wanted = [work for work in self.works if since <= str(work["created"]) <= until]
        if asked["rows"] == "0":
            return 200, {"message": {"total-results": len(wanted) + self.lost, "items": []}}
        epoch, _, start = asked["cursor"].replace("*", f"{self.epoch}-0").partition("-")
        if int(epoch) != self.epoch:
            return 404, {"status": "failed", "message": "Resource not found."}
        rows = min(int(asked["rows"]), self.page_size)
        items = wanted[int(start) : int(start) + rows]
        cursor = f"{self.epoch}-{int(start) + rows}"
        return 200, {"message": {"total-results": len(wanted) + self.lost, "items": items, "next-cursor": cursor}}


@contextmanager
def serving(crossref: Crossref) -> Iterator[Crossref]:
    """Serve a double on loopback; it lets itself be asked as fast as one likes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_arguments):
            pass

        def do_GET(self):
            status, document = crossref.answer(self.path)
            body = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Rate-Limit-Limit", "1000")
            self.send_header("X-Rate-Limit-Interval", "1s")
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)
    thread.start()
    crossref.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield crossref
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
