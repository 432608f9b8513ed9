"""What a ResourceSync source says of an item beside its metadata: the entries of its lists, kept as abouts. Pure.

The first entry is the item's own; the others are of the content that its metadata describes (Z39.99 §5.7). Content
becomes a file of the item, with size, digest, type and date as the source says them; a page becomes its landing page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from gateway import xmlio
from gateway.addresses import address, any_uri, is_address, uri_of
from gateway.digests import digest, in_order
from gateway.errors import NotXml
from gateway.model import FileLink, Work
from gateway.provenance import Origin
from gateway.xmlio import Element
from gateway.xmltext import SITEMAP

_TERMS = "http://www.openarchives.org/rs/terms/"
_MARK = _TERMS.encode()
_UNKNOWN = "application/octet-stream"
_NUMBER = re.compile(r"[0-9]{1,15}")  # petabytes


class Related(NamedTuple):
    """What is said beside the metadata. `canonical` is the address of what the metadata is a representation of."""

    files: tuple[FileLink, ...] = ()
    landing_page: str = ""
    identifiers: tuple[str, ...] = ()
    canonical: tuple[str, ...] = ()


def completed(work: Work, abouts: Iterable[bytes]) -> Work:
    """Return a work with what the entries among its abouts say besides; what they say of a file comes first."""
    found = read(abouts)
    if found == Related():
        return work
    files = {**{each.url: each for each in work.files}, **{each.url: each for each in found.files}}
    page = work.landing_page or found.landing_page
    identifiers = tuple(dict.fromkeys((*found.identifiers, *work.identifiers)))
    return work._replace(
        files=tuple(files.values()),
        landing_page=page,
        identifiers=identifiers or (() if page else found.canonical),  # better than the address of one representation
    )


def read(abouts: Iterable[bytes]) -> Related:
    """Read the entries among the abouts; whatever else they are says nothing here."""
    entries = list(_entries(abouts))
    if not entries:
        return Related()
    own, content = entries[0], entries[1:]
    links = [_linked(each) for each in _links(own, "describes")]
    links += filter(_is_content, map(_linked, _links(own, "item")))
    links += [link for each in content for link in (_listed(each), *map(_linked, _links(each, "alternate")))]
    known: dict[str, FileLink] = {}
    for link in links:
        if is_address(link.url):
            known[link.url] = _merged(known.get(link.url), link)
    cited = (uri_of(each.get("href", "")) for each in _links(own, "cite-as"))
    return Related(
        tuple(each for each in known.values() if not _is_page(each)),
        next((each.url for each in known.values() if _is_page(each)), ""),
        tuple(filter(None, cited)),
        tuple(any_uri(href) for each in _links(own, "canonical") if (href := each.get("href", "").strip())),
    )


def republished(abouts: Iterable[bytes], namespace: str) -> Origin | None:
    """Return where a resource was before the source had it (`via`, Z39.99 §14.9); None when nothing is said of that.

    Of an answer to GetRecord it is known whose record it is; of any other address only the host is. When the source
    took it is as good as when it changed there; it has altered it unless the digests of both are the same.
    """
    own = next(_entries(abouts), None)
    via = None if own is None else next(_links(own, "via"), None)
    if own is None or via is None or not is_address(via.get("href", "")):
        return None
    try:
        base_url, identifier = _named(via.get("href", ""))
    except ValueError:  # it looks like an address, and its host can be none
        return None
    said = own.find(f"{{{_TERMS}}}md")
    digests, taken = ("", "") if said is None else (said.get("hash", ""), said.get("datetime", ""))
    modified = via.get("modified", "")
    taken = taken or own.findtext(f"{{{SITEMAP}}}lastmod", "") or modified
    is_same = not set(digests.split()).isdisjoint(via.get("hash", "").split())
    return Origin(base_url, identifier, modified or taken, namespace, taken, not is_same)


def _named(url: str) -> tuple[str, str]:
    """Return the baseURL and the identifier that an address tells of."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if asked.get("verb") == ["GetRecord"] and "identifier" in asked:
        return url.partition("?")[0], asked["identifier"][0]
    return f"{parts.scheme}://{parts.netloc}/", url


def profiles(abouts: Iterable[bytes]) -> tuple[str, ...]:
    """Return what the entries say that the metadata is to be read by: a namespace, a schema (Z39.99 §14.5).

    They say it in a link of its own, or with the link that leads to the metadata.
    """
    entries = list(_entries(abouts))
    if not entries:
        return ()
    own = entries[0].findtext(f"{{{SITEMAP}}}loc")
    said = [each.get("href", "") for each in _links(entries[0], "profile")]
    leading = [each for entry in entries[1:] for each in _links(entry, "describedby") if each.get("href") == own]
    said += [each.get("profile", "") for each in leading]
    return tuple(dict.fromkeys(filter(None, map(str.strip, said))))


def _entries(abouts: Iterable[bytes]) -> Iterator[Element]:
    for content in abouts:
        if _MARK in content:
            try:
                root = xmlio.parse(content)
            except NotXml:
                continue
            if root.tag == f"{{{SITEMAP}}}url":
                yield root


def _links(entry: Element, rel: str) -> Iterator[Element]:
    return (each for each in entry.iterfind(f"{{{_TERMS}}}ln") if each.get("rel") == rel)


def _listed(entry: Element) -> FileLink:
    """Return the file that an entry lists."""
    said = entry.find(f"{{{_TERMS}}}md")
    url, modified = (entry.findtext(f"{{{SITEMAP}}}{name}") or "" for name in ("loc", "lastmod"))
    via = next(_links(entry, "via"), None)
    source = "" if via is None else f", which has it from {via.get('href')}"
    return _file(url, modified, said, f"its own entry in the list{source}")


def _linked(link: Element) -> FileLink:
    """Return the file that a link leads to."""
    return _file(link.get("href", ""), link.get("modified", ""), link, f"rs:ln {link.get('rel')}")


def _file(url: str, modified: str, said: Element | None, found_in: str) -> FileLink:
    length, digests, media_type = ("" if said is None else said.get(each, "") for each in ("length", "hash", "type"))
    pairs = (each.partition(":") for each in digests.split())
    found = in_order(each for name, _, value in pairs for each in digest(name, value))
    return FileLink(
        address(url.strip()),
        media_type.partition(";")[0].strip().lower() or _UNKNOWN,
        found_in=found_in,
        size=int(length) if _NUMBER.fullmatch(length) else None,
        sha256=dict(found).get("sha256", ""),
        modified=modified,
        digests=found,
    )


def _merged(before: FileLink | None, link: FileLink) -> FileLink:
    """Return a file of which two places speak: what the later one, its own entry, leaves open the other may say."""
    if before is None:
        return link
    return link._replace(
        mime_type=before.mime_type if link.mime_type == _UNKNOWN else link.mime_type,
        size=before.size if link.size is None else link.size,
        sha256=link.sha256 if link.digests else before.sha256,
        modified=link.modified or before.modified,
        digests=link.digests or before.digests,
    )


def _is_content(link: FileLink) -> bool:
    """Tell whether what a collection holds is a file: neither a page nor more metadata, as far as its type tells."""
    return not _is_page(link) and link.mime_type != _UNKNOWN and not link.mime_type.endswith(("/xml", "+xml"))


def _is_page(link: FileLink) -> bool:
    return link.mime_type in ("text/html", "application/xhtml+xml")
