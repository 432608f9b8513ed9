"""A ResourceSync source with every kind of document: right, or wrong in one thing."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from hashlib import md5, sha256
from io import BytesIO

from gateway.core.errors import ConnectionFailed
from harvester.http.messages import Fetched, Request

BASE, MIRROR = "https://source.example.org", "https://mirror.example.org"  # the same answers
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
AT, COMPLETED, CLOSED, CHANGED = (
    "2026-03-02T00:00:00Z",
    "2026-03-02T00:05:00Z",
    "2026-03-03T00:00:00Z",
    "2026-03-03T10:00:00Z",
)
NOW = 1_775_000_000.0  # 2026-03-31
MODIFIED, LAST_MODIFIED = "2026-03-01T08:00:00Z", "Sun, 01 Mar 2026 08:00:00 GMT"

WELL_KNOWN, PAGE, ROBOTS = "/.well-known/resourcesync", "/", "/robots.txt"
CAPABILITIES = "/a/capabilitylist.xml"
RESOURCES, PART1, PART2 = "/a/resourcelist.xml", "/a/resourcelist-1.xml", "/a/resourcelist-2.xml"
CHANGES, CLOSED_LIST, OPEN_LIST = "/a/changelist.xml", "/a/changelist-1.xml", "/a/changelist-open.xml"
DUMP, PACKAGE, MANIFEST = "/a/resourcedump.xml", "/a/resourcedump.zip", "/a/resourcedump-manifest.xml"
CHANGE_DUMP, CHANGE_PACKAGE = "/a/changedump.xml", "/a/changedump.zip"
ARCHIVE, OLD = "/a/archive.xml", "/a/resourcelist-old.xml"
FILES = {"/r/1": b"one", "/r/2": b"two, and more", "/r/3": b"three", "/r/4": b"four", "/r/5": b"five", "/m/1": b"<m/>"}
DELETED = "/r/9"


@dataclass
class Resource:
    """An answer."""

    body: bytes
    content_type: str = "application/xml"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def ln(rel: str, path: str, **attributes: str) -> str:
    """Return an `rs:ln`."""
    return element("ln", {"rel": rel, "href": path if "://" in path else BASE + path, **attributes})


def element(name: str, attributes: dict[str, str]) -> str:
    """Return an element of ResourceSync."""
    stated = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<rs:{name}{stated}/>"


def entry(path: str, name: str = "url", /, lastmod: str = "", links: str = "", **md: str) -> str:
    """Return an entry; `from_` is the attribute `from`."""
    stated = {key.rstrip("_"): value for key, value in md.items()}
    changed = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<{name}><loc>{BASE}{path}</loc>{changed}{element('md', stated) if stated else ''}{links}</{name}>\n"


def document(links: str, md: dict[str, str], *entries: str, root: str = "urlset") -> bytes:
    """Return a document."""
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {NAMESPACES}>\n{links}\n{element("md", md)}\n'
    return f"{head}{''.join(entries)}</{root}>\n".encode()


def representation(path: str, body: bytes | None = None) -> dict[str, str]:
    """Return length, hash and type of a file."""
    body = FILES[path] if body is None else body
    hashes = f"md5:{md5(body).hexdigest()} sha-256:{sha256(body).hexdigest()}"
    return {"hash": hashes, "length": str(len(body)), "type": "application/xml"}


def packed(files: dict[str, bytes]) -> bytes:
    """Return a package."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # the same bytes at any time
    return stream.getvalue()


class Site(dict[str, Resource]):
    """The answers of a source by path."""

    def fill(self) -> Site:
        """Make all answers, all of them right."""
        up = ln("up", CAPABILITIES)
        lead = ln("describedby", "/about")
        self[WELL_KNOWN] = Resource(
            document(lead, {"capability": "description"}, entry(CAPABILITIES, capability="capabilitylist"))
        )
        capabilities = {
            "changelist": CHANGES, "resourcelist": RESOURCES, "resourcedump": DUMP, "changedump": CHANGE_DUMP,
            "resourcelist-archive": ARCHIVE,
        }  # fmt: skip
        self[CAPABILITIES] = Resource(
            document(
                ln("up", WELL_KNOWN) + lead,
                {"capability": "capabilitylist"},
                *(entry(path, capability=name) for name, path in capabilities.items()),
            )
        )
        self._resources(up)
        self._changes(up)
        self._dumps()
        old = {"capability": "resourcelist", "at": "2025-03-02T00:00:00Z"}
        self[OLD] = Resource(document(up, old, entry("/r/1", **representation("/r/1"))))
        self[ARCHIVE] = Resource(document(up, {"capability": "resourcelist-archive"}, entry(OLD, at=old["at"])))
        for path, body in FILES.items():
            self[path] = Resource(body, headers={"Last-Modified": LAST_MODIFIED})
        self["/r/5"].headers = {}
        link = f'<{BASE}{CAPABILITIES}>; rel="resourcesync"'
        page = f'<html><head><link rel="resourcesync" href="{CAPABILITIES}"></head></html>'
        self[PAGE] = Resource(page.encode(), "text/html", headers={"Link": link})
        self[ROBOTS] = Resource(f"Sitemap: {BASE}{RESOURCES}\n".encode(), "text/plain")
        return self

    def _resources(self, up: str) -> None:
        md = {"capability": "resourcelist", "at": AT, "completed": COMPLETED}
        parts = (entry(path, "sitemap", at=AT) for path in (PART1, PART2))
        self[RESOURCES] = Resource(document(up, md, *parts, root="sitemapindex"))
        links = up + ln("index", RESOURCES)
        self[PART1] = Resource(
            document(
                links,
                md,
                entry("/r/1", lastmod=MODIFIED, links=ln("describedby", "/m/1"), **representation("/r/1")),
                entry("/m/1", lastmod=MODIFIED, links=ln("describes", "/r/1"), **representation("/m/1")),
                entry("/r/2", lastmod=MODIFIED, **representation("/r/2")),
            )
        )
        self[PART2] = Resource(
            document(
                links,
                md,
                entry("/r/3", lastmod=MODIFIED, **representation("/r/3")),
                entry("/r/4", lastmod=MODIFIED, **representation("/r/4")),
            )
        )

    def _changes(self, up: str) -> None:
        links = up + ln("index", CHANGES)
        first, closed = "2026-03-01T00:00:00Z", {"from": "2026-03-01T00:00:00Z", "until": CLOSED}
        self[CHANGES] = Resource(
            document(
                up, {"capability": "changelist", "from": first}, entry(CLOSED_LIST, "sitemap", **closed),
                entry(OPEN_LIST, "sitemap", from_=CLOSED), root="sitemapindex",
            )
        )  # fmt: skip
        self[CLOSED_LIST] = Resource(
            document(
                links,
                {"capability": "changelist", **closed},
                entry("/r/1", lastmod=MODIFIED, change="created", datetime=MODIFIED, **representation("/r/1")),
                entry(DELETED, change="deleted", datetime="2026-03-01T09:00:00Z"),
            )
        )
        self[OPEN_LIST] = Resource(
            document(
                links,
                {"capability": "changelist", "from": CLOSED},
                entry("/r/5", lastmod=CHANGED, change="created", datetime=CHANGED, **representation("/r/5")),
            )
        )

    def _dumps(self) -> None:
        self.pack()
        self.pack_changes()

    def pack(
        self,
        *,
        md: dict[str, str] | None = None,
        entries: str | None = None,
        files: dict[str, bytes] | None = None,
        name: str = "manifest.xml",
        body: bytes | None = None,
    ) -> None:
        """Make the Resource Dump, its package and the copy of the manifest."""
        if entries is None:
            entries = entry("/r/1", path="/res/1", **representation("/r/1")) + entry(
                "/r/2", path="/res/2", **representation("/r/2")
            )
        up = ln("up", CAPABILITIES)
        manifest = document(up, md or {"capability": "resourcedump-manifest", "at": AT}, entries)
        files = {"res/1": FILES["/r/1"], "res/2": FILES["/r/2"]} if files is None else files
        package = packed({name: manifest, **files}) if body is None else body
        self[MANIFEST] = Resource(manifest)
        self[PACKAGE] = Resource(package, "application/zip")
        facts = {**representation("", package), "type": "application/zip", "at": AT}
        contents = ln("contents", MANIFEST, type="application/xml")
        dump = {"capability": "resourcedump", "at": AT}
        self[DUMP] = Resource(document(up, dump, entry(PACKAGE, links=contents, **facts)))

    def pack_changes(self, more: str = "", begin: str = "2026-03-01T00:00:00Z", stated: str = "") -> None:
        """Make the Change Dump and its package."""
        up, window = ln("up", CAPABILITIES), {"from": begin, "until": CLOSED}
        manifest = document(
            up,
            {"capability": "changedump-manifest", **window},
            entry("/r/1", change="created", datetime=MODIFIED, path="/res/1", **representation("/r/1")),
            entry(DELETED, change="deleted", datetime="2026-03-01T09:00:00Z"),
            more,
        )
        package = packed({"manifest.xml": manifest, "res/1": FILES["/r/1"]})
        self[CHANGE_PACKAGE] = Resource(package, "application/zip")
        md = {"type": "application/zip", "length": str(len(package)), **window}
        md["from"] = stated or md["from"]
        self[CHANGE_DUMP] = Resource(
            document(up, {"capability": "changedump", "from": window["from"]}, entry(CHANGE_PACKAGE, **md))
        )

    # -- what is made wrong ---------------------------------------------------------------------------------------

    def replace(self, path: str, old: str, new: str, count: int = -1) -> None:
        """Replace a text in a body; `{base}` is the address of the site."""
        before, after = (text.replace("{base}", BASE).encode() for text in (old, new))
        assert before in self[path].body, self[path].body
        self[path].body = self[path].body.replace(before, after, count)

    def fetch(self, request: Request) -> Fetched:
        """Answer a request without a network. Raise ConnectionFailed for other hosts."""
        if not request.url.startswith((f"{BASE}/", f"{MIRROR}/")):
            raise ConnectionFailed(f"{request.url} cannot be reached.")
        resource = self.get(request.url.removeprefix(BASE).removeprefix(MIRROR)) or Resource(b"no", "text/plain", 404)
        headers = tuple({"Content-Type": resource.content_type, **resource.headers}.items())
        answer = Fetched(request.url, resource.status, headers, b"", 0)
        if request.sink is not None and request.sink.begin(answer):
            for start in range(0, len(resource.body), 1000):
                request.sink.write(resource.body[start : start + 1000])
        return answer
