"""Reads the entries of ResourceSync lists that are stored as abouts of an item. Pure.

The first entry is that of the metadata; the others are those of the content that it describes (Z39.99 §14.5). Content
becomes a file of the item, with the size, digest, type and date of its entry; a page becomes the landing page.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from gateway.core import xmlio
from gateway.core.addresses import address, any_uri, is_address, uri_of
from gateway.core.digests import digest, in_order
from gateway.core.errors import NotXml
from gateway.core.model import FileLink, Work
from gateway.core.typed_links import SUPPLEMENT, SUPPLEMENT_FILE
from gateway.core.xmlio import Element
from gateway.core.xmltext import SITEMAP
from gateway.publish.provenance import Origin

_TERMS = "http://www.openarchives.org/rs/terms/"
_MARK = _TERMS.encode()
_LINK = f"{{{_TERMS}}}ln"
_UNKNOWN = "application/octet-stream"
_NUMBER = re.compile(r"[0-9]{1,15}")  # petabytes


class Related(NamedTuple):
    """The facts in the entries. `canonical` are the addresses of the resource that the metadata represents."""

    files: tuple[FileLink, ...] = ()
    landing_page: str = ""
    identifiers: tuple[str, ...] = ()
    canonical: tuple[str, ...] = ()


def completed(work: Work, abouts: Iterable[bytes]) -> Work:
    """Return a work with the facts of the entries among its abouts; their facts about a file come first."""
    entries = read(abouts)
    if entries == Related():
        return work
    files = {**{file.url: file for file in work.all_files}, **{file.url: file for file in entries.files}}
    page = work.landing_page or entries.landing_page
    identifiers = tuple(dict.fromkeys((*entries.identifiers, *work.identifiers)))
    return work.with_files(files.values())._replace(
        landing_page=page,
        identifiers=identifiers or (() if page else entries.canonical),  # better than the address of a representation
    )


def read(abouts: Iterable[bytes]) -> Related:
    """Return the facts in the entries among the abouts; other abouts are ignored."""
    entries = _entries(abouts)
    if not entries:
        return Related()
    own, content = entries[0], entries[1:]
    pages = [entry for entry in content if _is_page(_listed(entry))]  # of the work, with links to its files
    links = [_linked(link) for rel in ("describes", SUPPLEMENT) for link in _links(own, rel)]
    links += filter(_is_page, map(_linked, _links(own, "alternate")))
    links += filter(_is_content, (_linked(link) for entry in (own, *pages) for link in _links(entry, "item")))
    links += [link for entry in content for link in (_listed(entry), *map(_linked, _links(entry, "alternate")))]
    known: dict[str, FileLink] = {}
    for link in links:
        if is_address(link.url):
            known[link.url] = _merged(known.get(link.url), link)
    cited = (uri_of(link.get("href", "")) for entry in (own, *pages) for link in _links(entry, "cite-as"))
    return Related(
        tuple(entry for entry in known.values() if not _is_page(entry)),
        next((entry.url for entry in known.values() if _is_page(entry)), ""),
        tuple(filter(None, cited)),
        tuple(any_uri(href) for link in _links(own, "canonical") if (href := link.get("href", "").strip())),
    )


def republished(abouts: Iterable[bytes], namespace: str) -> Origin | None:
    """Return the origin of a resource that the source has from elsewhere (`via`, Z39.99 §14.8), or None.

    If the address is a GetRecord request, it contains baseURL and identifier; otherwise only the host is known. The
    time of the last change at the source is used as its harvest date. The resource counts as altered unless both have
    the same digest.
    """
    own = next(iter(_entries(abouts)), None)
    via = None if own is None else next(_links(own, "via"), None)
    if own is None or via is None or not is_address(via.get("href", "")):
        return None
    try:
        base_url, identifier = _named(via.get("href", ""))
    except ValueError:  # it looks like an address, but its host is impossible
        return None
    metadata = own.find(f"{{{_TERMS}}}md")
    digests, taken = ("", "") if metadata is None else (metadata.get("hash", ""), metadata.get("datetime", ""))
    modified = via.get("modified", "")
    taken = taken or own.findtext(f"{{{SITEMAP}}}lastmod", "") or modified
    is_same = not set(digests.split()).isdisjoint(via.get("hash", "").split())
    return Origin(base_url, identifier, modified or taken, namespace, taken, not is_same)


def _named(url: str) -> tuple[str, str]:
    """Return the baseURL and the identifier in an address."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if asked.get("verb") == ["GetRecord"] and "identifier" in asked:
        return url.partition("?")[0], asked["identifier"][0]
    return f"{parts.scheme}://{parts.netloc}/", url


def profiles(abouts: Iterable[bytes]) -> tuple[str, ...]:
    """Return the profiles of the metadata, such as a namespace or a schema (Z39.99 §14.5).

    They are in a link `profile`, or in the attribute of the link that leads to the metadata.
    """
    entries = _entries(abouts)
    if not entries:
        return ()
    own = entries[0].findtext(f"{{{SITEMAP}}}loc")
    profiles = [link.get("href", "") for link in _links(entries[0], "profile")]
    leading = [link for entry in entries[1:] for link in _links(entry, "describedby") if link.get("href") == own]
    profiles += [entry.get("profile", "") for entry in leading]
    return tuple(dict.fromkeys(filter(None, map(str.strip, profiles))))


def others(abouts: Iterable[bytes]) -> list[bytes]:
    """Return the abouts that are not entries of ResourceSync lists."""
    given = tuple(abouts)
    return [about for about, entry in zip(given, _parsed(given), strict=True) if entry is None]


def _entries(abouts: Iterable[bytes]) -> list[Element]:
    return [entry for entry in _parsed(tuple(abouts)) if entry is not None]


@lru_cache(maxsize=1)  # the mapping of one item asks for the same abouts several times
def _parsed(abouts: tuple[bytes, ...]) -> tuple[Element | None, ...]:
    """Return the entry in each about, for reading only; None: the about is no entry."""
    return tuple(map(_entry, abouts))


def _entry(about: bytes) -> Element | None:
    if _MARK not in about:
        return None
    try:
        root = xmlio.parse(about)
    except NotXml:
        return None
    return root if root.tag == f"{{{SITEMAP}}}url" else None


def _links(entry: Element, rel: str) -> Iterator[Element]:
    return (link for link in entry.iterchildren(_LINK) if link.get("rel") == rel)


def _listed(entry: Element) -> FileLink:
    """Return the file that an entry lists."""
    metadata = entry.find(f"{{{_TERMS}}}md")
    url, modified = (entry.findtext(f"{{{SITEMAP}}}{name}") or "" for name in ("loc", "lastmod"))
    via = next(_links(entry, "via"), None)
    source = "" if via is None else f", which has it from {via.get('href')}"
    listed = _file(url, modified, metadata, f"its own entry in the list{source}")
    is_supplement = any(link.get("href") == SUPPLEMENT_FILE for link in _links(entry, "type"))
    is_page = listed.mime_type == _UNKNOWN and next(_links(entry, "item"), None) is not None
    return listed._replace(mime_type="text/html" if is_page else listed.mime_type, is_supplement=is_supplement)


def _linked(link: Element) -> FileLink:
    """Return the file that a link leads to."""
    linked = _file(link.get("href", ""), link.get("modified", ""), link, f"rs:ln {link.get('rel')}")
    return linked._replace(is_supplement=link.get("rel") == SUPPLEMENT)


def _file(url: str, modified: str, metadata: Element | None, found_in: str) -> FileLink:
    length, digests, media_type = (
        "" if metadata is None else metadata.get(name, "") for name in ("length", "hash", "type")
    )
    pairs = (part.partition(":") for part in digests.split())
    digests_ = in_order(digest_ for name, _, value in pairs for digest_ in digest(name, value))
    return FileLink(
        address(url.strip()),
        media_type.partition(";")[0].strip().lower() or _UNKNOWN,
        found_in=found_in,
        size=int(length) if _NUMBER.fullmatch(length) else None,
        sha256=dict(digests_).get("sha256", ""),
        modified=modified,
        digests=digests_,
    )


def _merged(before: FileLink | None, link: FileLink) -> FileLink:
    """Return a file that is described twice: facts that the later description lacks come from the earlier one."""
    if before is None:
        return link
    return link._replace(
        mime_type=before.mime_type if link.mime_type == _UNKNOWN else link.mime_type,
        size=before.size if link.size is None else link.size,
        sha256=link.sha256 if link.digests else before.sha256,
        modified=link.modified or before.modified,
        digests=link.digests or before.digests,
        is_supplement=before.is_supplement or link.is_supplement,
    )


def _is_content(link: FileLink) -> bool:
    """Return whether a member of a collection is a file: by its type, neither a page nor metadata."""
    return not _is_page(link) and link.mime_type != _UNKNOWN and not link.mime_type.endswith(("/xml", "+xml"))


def _is_page(link: FileLink) -> bool:
    return link.mime_type in ("text/html", "application/xhtml+xml")
