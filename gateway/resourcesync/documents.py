"""The XML of ResourceSync documents (ResourceSync 1.1, §5 to §14): sitemaps with elements of the namespace `rs`. Pure.

Texts have only characters that XML allows, and the attributes of an `rs:md` nothing to escape. Attributes have no
prefix, and the one `rs:md` of a document is before its first entry. `loc` is the first child of an entry, as the schema
of sitemaps demands.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple
from urllib.parse import quote

from gateway.core.addresses import is_address
from gateway.core.model import Content, Resource, ResourceChange, Source
from gateway.core.names import upstream_identifier
from gateway.core.secret_arguments import secret_argument
from gateway.core.typed_links import SUPPLEMENT
from gateway.core.xmltext import SITEMAP, clean, escape, escape_attribute, is_legal, utc_datetime

TERMS: Final = "http://www.openarchives.org/rs/terms/"
CONTENT_TYPE: Final = "application/xml; charset=UTF-8"
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'

Attributes = Mapping[str, str | int]


class Link(NamedTuple):
    """An `rs:ln`: the relation of a resource or a document to another one. Empty texts and None mean: not stated."""

    rel: str
    href: str
    type: str = ""
    length: int | None = None
    hash: str = ""


class Document(NamedTuple):
    """The head of a document. `is_index`: its entries are documents. `times` are `at`, `from`, `until` and so on."""

    capability: str
    links: tuple[Link, ...] = ()
    times: Attributes = MappingProxyType({})
    is_index: bool = False

    def write(self, entries: Iterable[str]) -> bytes:
        """Return the document with these entries, in UTF-8."""
        root = "sitemapindex" if self.is_index else "urlset"
        head = f'{_XML}<{root} xmlns="{SITEMAP}" xmlns:rs="{TERMS}">\n{"".join(map(link, self.links))}'
        facts = md({"capability": self.capability, **self.times})
        return "".join((head, facts, "\n", *entries, f"</{root}>\n")).encode("utf-8", "replace")

    def entry(self, loc: str, attributes: Attributes, links: Iterable[Link] = ()) -> str:
        """Return the entry of a document."""
        name = "sitemap" if self.is_index else "url"
        return f"<{name}><loc>{escape(loc)}</loc>{md(attributes)}{''.join(map(link, links))}</{name}>\n"


def hash_of(sha256: str) -> str:
    """Return a SHA-256 in hexadecimal digits as the attribute `hash` has it; empty if it is not known."""
    return f"sha-256:{sha256}" if sha256 else ""


def md(attributes: Attributes) -> str:
    """Return an `rs:md` with these attributes, without those that are empty."""
    stated = "".join([f' {name}="{value}"' for name, value in attributes.items() if value != ""])
    return f"<rs:md{stated}/>" if stated else ""


def link(link: Link) -> str:
    """Return the `rs:ln` of a link."""
    stated = [f'<rs:ln rel="{link.rel}" href="{escape_attribute(link.href)}"']
    if link.type:
        stated.append(f' type="{escape_attribute(link.type)}"')
    if link.length is not None:
        stated.append(f' length="{link.length}"')
    if link.hash:
        stated.append(f' hash="{escape_attribute(link.hash)}"')
    return "".join((*stated, "/>"))


TYPE: Final = "application/xml"
_MOST_FILES: Final = 50  # of one entry
MOST_ADDRESS: Final = 2_000  # the limit of a `loc` (sitemaps.org 0.9)
_SAFE: Final = "-_.!~*'():/"  # what an identifier in an address may have beside letters and digits
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.!~*'():/-]*")  # such an identifier as it is

UrlOf = Callable[[str], str]


class Origin(NamedTuple):
    """What is known of a source: the address of its page here, and where its record of an item is.

    `request` is the address of a record without the upstream identifier at its end; empty: it has none. `is_address`:
    the upstream identifier itself is the address. `until`: only records with earlier datestamps came from there.
    """

    page: str
    request: str = ""
    is_address: bool = False
    until: float = inf


def origin_of(source: Source, page: str, upstream_prefix: str) -> Origin:
    """Return the origin of the records of a source, whose format is `upstream_prefix` there."""
    if source.kind != "oai_pmh" or secret_argument(source.base_url):
        return Origin(page, is_address=source.kind == "resourcesync")
    base = source.base_url + ("&" if "?" in source.base_url else "?")
    return Origin(page, f"{base}verb=GetRecord&metadataPrefix={quote(upstream_prefix, safe='')}&identifier=")


class Entries:
    """Writes the entries of one document.

    Functions return the addresses of the metadata and of the page of an item, and its DOI by its number. A source has
    several origins if its address has changed, the oldest first.
    """

    def __init__(
        self,
        url_of: UrlOf,
        origins: Mapping[str, Sequence[Origin]],
        page_of: UrlOf | None = None,
        cited: Callable[[int], str] = lambda _item: "",
    ) -> None:
        self._url_of, self._page_of, self._cited = url_of, page_of, cited
        self._origins = {name: tuple(map(_links_of, known)) for name, known in origins.items()}

    def resource(self, resource: Resource, contents: Iterable[Content]) -> str:
        """Return the entry of a resource, with links to the files that it describes."""
        return self._entry(resource, _facts(resource), self._described(resource, contents))

    def packed(self, resource: Resource, metadata: bytes, contents: Iterable[Content] = ()) -> str:
        """Return the entry of a resource in the manifest of a package, where its bytes are `metadata`."""
        exact = resource._replace(length=len(metadata), sha256=sha256(metadata).digest())
        described = self._described(resource, contents)
        return self._entry(exact, {**_facts(exact), "path": self.path(resource)}, described)

    @staticmethod
    def path(resource: Resource) -> str:
        """Return the path of a resource in a package."""
        return f"/resources/{resource.item}.xml"

    @staticmethod
    def path_of_version(item: int, datestamp: int) -> str:
        """Return the path of the version of an item with this datestamp in a package of changes."""
        return f"/resources/{item}-{datestamp}.xml"

    def change(self, change: ResourceChange, contents: Iterable[Content] = (), path: str = "") -> str:
        """Return the entry of a change, with the links of `resource`; `path` is that of its version in a package.

        Both times are there: clients of version 1.0 read `lastmod`. A deletion has no links to files, and no path.
        """
        moment = {"change": change.kind, "datetime": _moment(change.datestamp)}
        if change.kind == "deleted":
            return self._entry(change, moment)
        facts = {**moment, **_facts(change), **({"path": path} if path else {})}
        return self._entry(change, facts, self._described(change, contents))

    def _described(self, resource: Resource | ResourceChange, contents: Iterable[Content]) -> str:
        """Return the links to the DOI and the page of the item, and to its files.

        Only files are described: an entry without `describes` is an item without full text. Supplements have a relation
        of their own. A file whose address a list cannot have is left out. With the link to the page, all files are
        stated.
        """
        page = self._page_of(resource.identifier) if self._page_of else ""
        links = (
            link(Link(rel, content.url, clean(content.mime_type), content.size, hash_of(content.sha256)))
            for content in contents
            for rel in (SUPPLEMENT if content.is_supplement else "describes",)
            if len(content.url) <= MOST_ADDRESS and is_legal(content.url)
        )
        doi = self._cited(resource.item)
        facts = [Link("cite-as", doi)] if doi and len(doi) <= MOST_ADDRESS and is_legal(doi) else []
        facts += [Link("alternate", page, "text/html")] if page else []
        return "".join((*map(link, facts), *islice(links, _MOST_FILES)))

    def _entry(
        self, resource: Resource | ResourceChange, attributes: Mapping[str, str | int], described: str = ""
    ) -> str:
        identifier = resource.identifier
        related = self._related(identifier, resource.datestamp, is_there=bool(resource.sha256))
        return (
            f"<url><loc>{escape(self._url_of(identifier))}</loc><lastmod>{_moment(resource.datestamp)}</lastmod>"
            f"{md(attributes)}{described}{related}</url>\n"
        )

    def _related(self, identifier: str, datestamp: int, *, is_there: bool) -> str:
        """Return the links to the page of the source, and to the record at the source at that time.

        A version that is deleted or taken down (`is_there` is False) does not lead to the record.
        """
        stem, _, name = identifier.partition("/")
        known = self._origins.get(stem.rpartition(":")[2], _UNKNOWN)
        origin, collection, via = next(one for one in known if datestamp < one[0].until)
        if not is_there:
            return collection
        if origin.request:
            if not _PLAIN.fullmatch(name):
                name = quote(upstream_identifier(identifier), safe=_SAFE, errors="surrogatepass")
            is_short = len(origin.request) + len(name) <= MOST_ADDRESS
            return f'{collection}{via}{name}"/>' if is_short else collection
        upstream = upstream_identifier(identifier) if origin.is_address else ""
        is_known = is_address(upstream) and is_legal(upstream) and len(upstream) <= MOST_ADDRESS
        return collection + link(Link("via", upstream)) if is_known else collection


def _links_of(origin: Origin) -> tuple[Origin, str, str]:
    """Return an origin with its links, the last one without its end."""
    return origin, link(Link("collection", origin.page)), link(Link("via", origin.request)).removesuffix('"/>')


_UNKNOWN = ((Origin(""), "", ""),)
_moment = lru_cache(maxsize=4096)(utc_datetime)  # records of one publication have the same time


def _facts(resource: Resource | ResourceChange) -> dict[str, str | int]:
    if not resource.sha256:
        return {"type": TYPE}
    return {"hash": hash_of(resource.sha256.hex()), "length": resource.length, "type": TYPE}
