"""A landing page with its metadata, files, link sets and catalogue: right, or wrong in one thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from gateway.core.errors import ConnectionFailed
from gateway.core.typed_links import JSON, TEXT, Link, header, in_order, linkset_json, linkset_text
from harvester.http.messages import Fetched, Request

PAGE, PID, OTHER = "/items/1", "/pid/1", "/other"
BIBTEX, DC = "/meta/1.bib", "/meta/1.xml"
PDF, CSV, NOTE = "/files/1.pdf", "/files/2.csv", "/files/3.txt"
AS_JSON, AS_TEXT = "/items/1/links.json", "/items/1/links.txt"
CATALOG = "/.well-known/api-catalog"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
CATALOG_TYPE = f'{JSON}; profile="https://www.rfc-editor.org/info/rfc9727"'
ORCID = "https://orcid.org/0000-0002-1825-0097"
CC_BY = "https://spdx.org/licenses/CC-BY-4.0"
HEAD = b"<!DOCTYPE html><html><head><title>x</title>"


@dataclass
class Resource:
    """An answer. `head_status` and `head_link` differ from those of GET where they are not None."""

    content_type: str
    body: bytes = b"x"
    link: str = ""
    status: int = 200
    location: str = ""
    head_status: int | None = None
    head_link: str | None = None
    by_accept: dict[str, str] = field(default_factory=dict)
    refuses: bool = False  # a media type that it does not have


class Site(dict[str, Resource]):
    """The resources of a site by path."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.edit: Callable[[list[Link]], list[Link]] = list  # of the links of the page header and the link sets

    def links(self) -> list[Link]:
        """Return the links of the link set; the third file is in no header of the page."""
        page = self.base + PAGE
        types = {PDF: "application/pdf", CSV: "text/csv", NOTE: "text/plain"}
        return [
            Link(page, "cite-as", self.base + PID),
            Link(page, "type", "https://schema.org/ScholarlyArticle"),
            Link(page, "type", "https://schema.org/AboutPage"),
            Link(page, "license", CC_BY),
            Link(page, "author", ORCID),
            Link(page, "describedby", self.base + BIBTEX, "application/x-bibtex"),
            Link(page, "describedby", self.base + DC, "application/xml", OAI_DC),
            *(Link(page, "item", self.base + path, media_type) for path, media_type in types.items()),
            *(Link(self.base + path, "collection", page, "text/html") for path in types),
            *(Link(self.base + path, "describes", page, "text/html") for path in (BIBTEX, DC)),
        ]

    def linksets(self, anchor: str) -> list[Link]:
        """Return the links to the two forms of the link set."""
        return [Link(anchor, "linkset", self.base + AS_JSON, JSON), Link(anchor, "linkset", self.base + AS_TEXT, TEXT)]

    def fill(self) -> Site:
        """Make all resources, all of them right."""
        links, page = in_order(self.edit(self.links())), self.base + PAGE
        catalog = Link(page, "api-catalog", self.base + CATALOG, JSON, "https://signposting.org/FAIRiCat/")
        shown = [link for link in links if link.href != self.base + NOTE]
        value = header([*shown, *self.linksets(page), catalog], page)
        self[PAGE] = Resource("text/html; charset=utf-8", HEAD, value, refuses=True)
        self[PID] = Resource("text/plain", status=302, location=self.base + PAGE)
        self[OTHER] = Resource("text/html; charset=utf-8", HEAD)
        self[AS_JSON] = Resource(JSON, b"".join(linkset_json(links)))
        self[AS_TEXT] = Resource(TEXT, b"".join(linkset_text(links)))
        for path, media_type in ((PDF, "application/pdf"), (CSV, "text/csv"), (NOTE, "text/plain; charset=utf-8")):
            self[path] = Resource(media_type, link=self._header(links, path))
        for path, media_type in ((BIBTEX, "application/x-bibtex"), (DC, "application/xml")):
            self[path] = Resource(media_type, link=self._header(links, path))
        entries = [Link(f"{self.base}/oai", "service-doc", "https://www.openarchives.org/pmh/", "text/html")]
        own = header([catalog._replace(anchor=self.base + CATALOG)], self.base + CATALOG)
        self[CATALOG] = Resource(CATALOG_TYPE, b"".join(linkset_json(entries)), own)
        return self

    def _header(self, links: list[Link], path: str) -> str:
        anchor = self.base + path
        return header([*links, *self.linksets(anchor)], anchor)

    def answer(self, path: str, accept: str, *, is_head: bool) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return status, headers and body of an answer."""
        resource = self.get(path) or Resource("text/plain", status=404)
        status, link = resource.status, resource.link
        if is_head:
            status = status if resource.head_status is None else resource.head_status
            link = link if resource.head_link is None else resource.head_link
        if resource.refuses and "text/html" not in accept and "*/*" not in accept:
            status, link = 406, ""
        content_type = resource.by_accept.get(accept, resource.content_type)
        headers = [("Content-Type", content_type), ("Content-Length", str(len(resource.body)))]
        headers += [("Location", resource.location)] if resource.location else []
        headers += [("Link", link)] if link else []
        return status, headers, resource.body

    def fetch(self, request: Request) -> Fetched:
        """Answer a request without a network. Raise ConnectionFailed for other hosts."""
        url = request.url
        for _ in range(5):
            if not url.startswith(f"{self.base}/"):
                raise ConnectionFailed(f"{url} cannot be reached.")
            is_head = request.method == "HEAD"
            accept = dict(request.headers).get("Accept", "*/*")
            status, headers, body = self.answer(url.removeprefix(self.base), accept, is_head=is_head)
            if status not in (301, 302):
                break
            url = dict(headers)["Location"]
        folded = tuple(name.lower() for name, value in headers if "\r\n" in value)
        unfolded = tuple((name, value.replace("\r\n", "")) for name, value in headers)
        return Fetched(url, status, unfolded, b"" if is_head else body, 0, folded=folded)

    # -- what is made wrong ---------------------------------------------------------------------------------------

    def change(self, path: str, **changes: Any) -> None:
        """Change a resource."""
        self[path] = replace(self[path], **changes)

    def in_header(self, old: str, new: str, path: str = PAGE) -> None:
        """Replace a text in the Link header of a resource."""
        assert old in self[path].link, self[path].link
        self.change(path, link=self[path].link.replace(old, new))

    def in_body(self, path: str, old: str, new: str) -> None:
        """Replace a text in the body of a resource."""
        assert old.encode() in self[path].body, self[path].body
        self.change(path, body=self[path].body.replace(old.encode(), new.encode()))

    def in_json(self, path: str, edit: Callable[[dict], object]) -> None:
        """Edit the JSON document of a resource."""
        document = json.loads(self[path].body)
        edit(document)
        self.change(path, body=json.dumps(document, separators=(",", ":")).encode())

    def everywhere(self, edit: Callable[[Link], Link | None], *, page: bool = True) -> None:
        """Edit or remove links of the page header and of both link sets."""
        self.rewrite(lambda links: [made for made in map(edit, links) if made is not None], page=page)

    def rewrite(self, edit: Callable[[list[Link]], list[Link]], *, page: bool = True) -> None:
        """Edit the list of the links of the page header and of both link sets."""
        whole = Site(self.base)
        whole.edit = edit
        whole.fill()
        for path in (PAGE, AS_JSON, AS_TEXT) if page else (AS_JSON, AS_TEXT):
            self[path] = whole[path]
