"""Every ResourceSync document of `../shared/data/resourcesync`: examples of the standard from 0.5 to 1.1, real ones.

What each says is compared with a tree that another library makes, attribute by attribute, and against the index.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin

import pytest
from lxml import etree

from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import TERMS, Entry, Link
from harvester.sources.resourcesync.fixity import fault_of
from harvester.sources.resourcesync.leads import leads_of_headers, leads_of_page, leads_of_robots
from harvester.sources.resourcesync.package import Package
from tests.conftest import SHARED

DATA = SHARED / "data" / "resourcesync"
BASE = "http://base.example.org/a/b.xml"
pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared/data/resourcesync")]

_NAMES = {"capabilities": {"resourcesync": "description"}, "relations": {"resourcesync": "up"}}
# Digests of the standard's own examples that are none: of the wrong length.
_ILLEGIBLE = re.compile(r"sha-256:[\w-]{42,44}|md5:suminhere")


def _documents() -> Iterator[tuple[Path, etree._Element]]:
    for file in sorted(DATA.rglob("*")):
        body = file.read_bytes() if file.is_file() else b""
        if body.lstrip().startswith((b"<?xml", b"<urlset", b"<sitemapindex")) and file.suffix != ".md":
            root = etree.fromstring(body)
            if isinstance(root.tag, str) and etree.QName(root).localname in ("urlset", "sitemapindex"):
                yield file, root


def _md(parent: etree._Element) -> dict[str, str]:
    element = parent.find(f"{{{TERMS}}}md")
    return {} if element is None else dict(element.attrib)  # type: ignore[arg-type]


def _links(parent: etree._Element) -> list[dict[str, str]]:
    return [dict(link.attrib) for link in parent.iterfind(f"{{{TERMS}}}ln")]  # type: ignore[arg-type]


def _is_hash(text: str, digests: tuple[tuple[str, str], ...]) -> bool:
    """Tell whether these are the digests of a hash attribute: the same in hexadecimals, or base64, or none at all."""
    stated = text.split()
    return len(digests) == len(stated) or (not digests and all(_ILLEGIBLE.fullmatch(statement) for statement in stated))


def _says(link: Link, attributes: dict[str, str]) -> bool:
    return (
        link.rel == _NAMES["relations"].get(attributes["rel"], attributes["rel"])
        and link.href == urljoin(BASE, attributes["href"])
        and (link.type, link.modified, link.path, link.encoding)
        == tuple(attributes.get(name, "") for name in ("type", "modified", "path", "encoding"))
        and ("" if link.length is None else str(link.length)) == attributes.get("length", "")
        and str(link.priority) == attributes.get("pri", "999999")
        and _is_hash(attributes.get("hash", ""), link.digests)
    )


def _same(entry: Entry, element: etree._Element) -> bool:
    space = etree.QName(element).namespace
    attributes, links = _md(element), _links(element)
    fields = ("change", "datetime", "at", "completed", "from", "until", "type", "path", "encoding")
    return (
        entry.loc == urljoin(BASE, (element.findtext(f"{{{space}}}loc") or "").strip())
        and entry.lastmod == (element.findtext(f"{{{space}}}lastmod") or "").strip()
        and all(getattr(entry, "from_" if name == "from" else name) == attributes.get(name, "") for name in fields)
        and entry.capability
        == _NAMES["capabilities"].get(attributes.get("capability", ""), attributes.get("capability", ""))
        and ("" if entry.length is None else str(entry.length)) == attributes.get("length", "")
        and _is_hash(attributes.get("hash", ""), entry.digests)
        and len(entry.links) == len(links)
        and all(map(_says, entry.links, links))
    )


def test_every_document_says_what_another_library_reads_in_it() -> None:
    wrong, count = [], 0
    for file, root in _documents():
        count += 1
        document = read(file.read_bytes(), BASE)
        entries = list(document)
        elements = [
            element
            for element in root.iterchildren(etree.Element)
            if etree.QName(element).localname in ("url", "sitemap")
        ]
        attributes = _md(root)
        is_same = (
            document.head.is_index == (etree.QName(root).localname == "sitemapindex")
            and document.head.capability
            == _NAMES["capabilities"].get(attributes.get("capability", ""), attributes.get("capability", ""))
            and (document.head.from_, document.head.until, document.head.completed)
            == (attributes.get("from", ""), attributes.get("until", ""), attributes.get("completed", ""))
            and document.head.at in (attributes.get("at", ""), attributes.get("modified"))
            and len(document.head.links) == len(_links(root))
            and all(map(_says, document.head.links, _links(root)))
            and len(entries) == len(elements)
            and all(map(_same, entries, elements))
        )
        if not is_same or document.notes:
            wrong.append((str(file.relative_to(DATA)), document.notes))
    assert wrong == []
    assert count == 193


def test_a_real_package_brings_what_its_manifest_tells() -> None:
    package = Package(BytesIO((DATA / "CDLUC3+resync-client" / "resourcedump__bitstream-package.zip").read_bytes()))
    entries = list(package.manifest("http://example.com/bitstream-package.zip"))
    assert [entry.loc for entry in entries] == ["http://example.com/res1", "http://example.com/res2"]
    assert [fault_of(package.read(entry.path), entry.length, entry.digests) for entry in entries] == ["", ""]


def test_pages_and_headers_of_the_standard_lead_to_their_capability_list() -> None:
    folder = DATA / "spec-1.1" / "zimeon+www.openarchives.org"
    wanted = ("http://www.example.com/dataset1/capabilitylist.xml",)
    assert leads_of_page((folder / "resourcesync_ex_9.xml").read_bytes(), BASE) == wanted
    header = (folder / "resourcesync_ex_10.http").read_text().partition("Link: ")[2].partition("\n  ...")[0]
    assert leads_of_headers((("Link", header),), BASE) == wanted
    robots = (folder / "resourcesync_ex_11.http").read_bytes()
    assert leads_of_robots(robots, BASE) == ("http://example.com/dataset1/resourcelist.xml",)
