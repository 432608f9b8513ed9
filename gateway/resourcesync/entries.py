"""The entries of metadata resources in Resource Lists and Change Lists. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import quote

from gateway.addresses import is_address
from gateway.model import Content, Resource, ResourceChange, Source
from gateway.names import source_of, upstream_identifier
from gateway.resourcesync.documents import Attributes, Document, Link, hash_of
from gateway.secret_arguments import secret_argument
from gateway.xmltext import clean, is_legal, utc_datetime

TYPE: Final = "application/xml"
_MOST_FILES: Final = 50  # of one entry
_MOST_ADDRESS: Final = 2_000  # the limit of a `loc` (sitemaps.org 0.9)

UrlOf = Callable[[str], str]


class Origin(NamedTuple):
    """What is known of a source: the address of its page here, and that of its record of an item.

    `via` returns the latter for an upstream identifier; empty: there is none.
    """

    page: str
    via: UrlOf


def origin_of(source: Source, page: str, upstream_prefix: str) -> Origin:
    """Return the origin of the records of a source, whose format is `upstream_prefix` there."""
    if source.kind == "resourcesync":  # the identifier of an item is the address of the resource
        return Origin(page, lambda upstream: upstream if is_address(upstream) else "")
    if source.kind != "oai_pmh" or secret_argument(source.base_url):
        return Origin(page, lambda _: "")
    base = source.base_url + ("&" if "?" in source.base_url else "?")
    request = f"{base}verb=GetRecord&metadataPrefix={quote(upstream_prefix, safe='')}&identifier="
    return Origin(page, lambda upstream: request + quote(upstream, safe="-_.!~*'():/", errors="surrogatepass"))


class Entries:
    """Writes the entries of one document."""

    def __init__(self, document: Document, url_of: UrlOf, origins: Mapping[str, Origin]) -> None:
        """Take the document, the address of the metadata of an item, and the sources by their names."""
        self._document = document
        self._url_of = url_of
        self._origins = origins

    def resource(self, resource: Resource, contents: Iterable[Content]) -> str:
        """Return the entry of a resource, with links to the files that it describes."""
        changed = utc_datetime(resource.datestamp)
        links = [*_described(contents), *self._links(resource.identifier)]
        return self._document.entry(self._url_of(resource.identifier), _facts(resource), links, changed)

    def packed(self, resource: Resource, metadata: bytes, contents: Iterable[Content] = ()) -> str:
        """Return the entry of a resource in the manifest of a package, where its bytes are `metadata`."""
        exact = resource._replace(length=len(metadata), sha256=sha256(metadata).digest())
        md = {**_facts(exact), "path": self.path(resource)}
        links = [*_described(contents), *self._links(resource.identifier)]
        return self._document.entry(self._url_of(resource.identifier), md, links, utc_datetime(resource.datestamp))

    @staticmethod
    def path(resource: Resource) -> str:
        """Return the path of a resource in a package."""
        return f"/resources/{resource.item}.xml"

    def change(self, change: ResourceChange) -> str:
        """Return the entry of a change. Both times are there: clients of version 1.0 read `lastmod`."""
        changed = utc_datetime(change.datestamp)
        md = {"change": change.kind, "datetime": changed, **(_facts(change) if change.kind != "deleted" else {})}
        return self._document.entry(self._url_of(change.identifier), md, self._links(change.identifier), changed)

    def _links(self, identifier: str) -> list[Link]:
        origin = self._origins.get(source_of(identifier))
        if origin is None:
            return []
        via = origin.via(upstream_identifier(identifier))
        links = [Link("collection", origin.page)]
        return [*links, Link("via", via)] if via and len(via) <= _MOST_ADDRESS else links


def _facts(resource: Resource | ResourceChange) -> Attributes:
    if not resource.sha256:
        return {"type": TYPE}
    return {"hash": hash_of(resource.sha256.hex()), "length": resource.length, "type": TYPE}


def _described(contents: Iterable[Content]) -> list[Link]:
    """Return the links to files; a file whose address a list cannot have is left out."""
    links = (
        Link("describes", content.url, clean(content.mime_type), content.size, hash_of(content.sha256))
        for content in contents
        if len(content.url) <= _MOST_ADDRESS and is_legal(content.url)
    )
    return list(islice(links, _MOST_FILES))
