"""A ResourceSync source on loopback whose documents a test writes, and which does what the test tells it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tests.http.server import listening

SETTINGS = (
    "publish_processes = 0\nfetch_backoff_seconds = 0.001\nfetch_retries = 0\nfetch_delay_seconds = 0\n"
    'harvest_overlap_seconds = 0\nrepository_domain = "gateway.example.org"\n'
)
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
LIST, CHANGES, AT = "resourcelist.xml", "changelist.xml", "2013-01-01T00:00:00Z"
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></oai_dc:dc>'
)


@dataclass
class Site:
    """What it answers by path: bytes, or (status, headers, bytes).

    `asked` lists the paths that were asked for, `unchanged` those of them whose ETag was known.
    """

    files: dict[str, bytes | tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    before: Callable[[str], None] = lambda _path: None
    url: str = ""

    def metadata(self, name: str, title: str = "") -> str:
        """Put a record in Dublin Core there, and return its entry for a list."""
        self.files[f"/{name}"] = DC.format(title or f"Work {name}").encode()
        return self.entry(name)

    def entry(self, name: str, lastmod: str = "2013-01-02T00:00:00Z", links: str = "", **attributes: str) -> str:
        """Return the entry of a file, with its digest and length."""
        body = self.files.get(f"/{name}", b"")
        known = {"hash": f"md5:{md5(body).hexdigest()}", "length": str(len(body)), **attributes}  # type: ignore[arg-type]
        return self.url_element(name, lastmod, links, **known)

    def url_element(self, name: str, lastmod: str = "", links: str = "", **attributes: str) -> str:
        """Return an entry that says just this."""
        when = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
        return f"<url><loc>{escape(self.url)}/{name}</loc>{when}{element('md', **attributes)}{links}</url>"

    def link(self, rel: str, name: str, **attributes: str) -> str:
        """Return a link to another file."""
        return element("ln", rel=rel, href=f"{self.url}/{name}", **attributes)

    def put(self, name: str, capability: str, *content: str, root: str = "urlset", **attributes: str) -> None:
        """Put a document there."""
        self.files[f"/{name}"] = document(capability, *content, root=root, **attributes)

    def offer(self, *capabilities: str) -> None:
        """Put a Source Description and a Capability List there; each capability is at its name with `.xml`."""
        self.put(".well-known/resourcesync", "description", self.url_element("caps.xml", capability="capabilitylist"))
        lists = (self.url_element(f"{capability}.xml", capability=capability) for capability in capabilities)
        self.put("caps.xml", "capabilitylist", *lists)

    def lists(self, names: Iterable[str], at: str = AT) -> None:
        """Offer a Resource List of records that are put there, and a Change List without changes, both of one time."""
        self.offer("resourcelist", "changelist")
        self.put(LIST, "resourcelist", *map(self.metadata, names), at=at)
        self.changes(from_=at)

    def changes(self, *entries: str, from_: str = AT, **attributes: str) -> None:
        """Put a Change List there."""
        self.put(CHANGES, "changelist", *entries, from_=from_, **attributes)

    def change(self, name: str, when: str, kind: str = "updated", title: str = "", **attributes: str) -> str:
        """Change a record, and return the entry of a Change List that says so."""
        if kind == "deleted":
            return self.url_element(name, change=kind, datetime=when)
        self.metadata(name, title)
        return self.entry(name, change=kind, datetime=when, **attributes)

    def part(self, name: str, **attributes: str) -> str:
        """Return the entry of an index for one of its lists."""
        return f"<sitemap><loc>{self.url}/{name}</loc>{element('md', **attributes)}</sitemap>"

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return self.asked.count(path)


def element(name: str, **attributes: str) -> str:
    text = "".join(f" {key.rstrip('_')}={quoteattr(value)}" for key, value in attributes.items())
    return f"<rs:{name}{text}/>"


def document(capability: str, *content: str, root: str = "urlset", **attributes: str) -> bytes:
    head = element("md", capability=capability, **attributes) if capability else ""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {NAMESPACES}>{head}{"".join(content)}</{root}>'.encode()


@contextmanager
def served(site: Site) -> Iterator[Site]:
    """Serve a site on loopback as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.before(self.path)
            response = site.files.get(self.path, (404, {}, b"no"))
            status, headers, body = (200, {}, response) if isinstance(response, bytes) else response
            if headers.get("ETag") and headers["ETag"] == self.headers["If-None-Match"]:
                status, body = 304, b""
                site.unchanged.append(self.path)
            self.send_response(status)
            for name, value in {"Content-Type": "application/octet-stream", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as address:
        site.url = f"http://{address}"
        yield site
