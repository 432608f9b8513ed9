"""METS: read only (Library of Congress, Metadata Encoding and Transmission Standard). Its files are in fileSec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.digests import Digest, Digests, digest
from gateway.core.model import FileLink, Work
from gateway.core.xmlio import Element, children, name_of
from gateway.core.xmltext import DCTERMS
from gateway.formats import MetadataFormat, reader_of
from gateway.formats._file_links import UNKNOWN, file_type, type_named
from gateway.formats._stated import dated, premis_digests, premis_size, with_digests
from gateway.formats._statements import completed

_METS, _METS_2 = "http://www.loc.gov/METS/", "http://www.loc.gov/METS/v2"
_MOST_SECTIONS = 100  # referred to by one file
_HREF = "{http://www.w3.org/1999/xlink}href"

# Groups (fileGrp/@USE) with files that programs made of the files of the work, or about them.
_SIDE_GROUPS = frozenset(
    ("thumbs", "thumbnail", "min", "default", "max", "fulltext", "text/ocr", "text", "license", "metadata",
     "submissiondocumentation", "presentation")
)  # fmt: skip


class _FileFacts(NamedTuple):
    """The facts in a section about the file that refers to it."""

    size: int | None = None
    digests: Digests = ()


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the richest descriptive metadata, with the files."""
    if name_of(root)[1] != "mets":
        return None
    files = tuple({file.url: file for file in _files(root)}.values())
    best: tuple[int, Work] | None = None
    for holder in _descriptive(root):
        for namespace, child in _payloads(holder):
            reader = reader_of(namespace)
            work = reader.read(child, b"") if not best or reader.rank > best[0] else None
            if work is not None and work.statements:
                best = (reader.rank, work)
    return completed(best[1] if best else Work(), files=files)


def _descriptive(root: Element) -> Iterator[Element]:
    """Yield the sections with descriptive metadata: METS 1 has an element for them, METS 2 an attribute."""
    yield from root.iterfind("{*}dmdSec/{*}mdWrap/{*}xmlData")
    for section in root.iterfind("{*}mdSec//{*}md[@USE='DESCRIPTIVE']"):
        yield from section.iterfind("{*}mdWrap/{*}xmlData")


def _payloads(holder: Element) -> Iterator[tuple[str, Element]]:
    """Yield namespace and root of the payloads; bare Dublin Core elements have no root, so it is their parent."""
    roots = list(children(holder))
    if len(roots) == 1:
        yield name_of(roots[0])[0], roots[0]
    elif roots:
        yield DCTERMS, holder


def _files(root: Element) -> Iterator[FileLink]:
    namespace = f"{{{name_of(root)[0]}}}"
    sections = {element.get("ID"): element for element in root.iter(f"{namespace}*") if element.get("ID")}
    facts: dict[str, _FileFacts] = {}
    for file in root.iterfind(f"{namespace}fileSec//{namespace}file"):
        groups = (group.get("USE", "").lower() for group in file.iterancestors(f"{namespace}fileGrp"))
        if not _SIDE_GROUPS.isdisjoint(groups):
            continue
        mime_type = file.get("MIMETYPE", "")
        url = next((url for element in file.iterfind(f"{namespace}FLocat") if (url := _address(element))), "")
        if url and "html" not in mime_type:
            type_ = type_named(mime_type) or file_type(url) or UNKNOWN
            link = FileLink(address(url), type_, found_in="mets:FLocat", size=_size(file))
            own = digest(file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", ""))
            yield _administered(dated(link, file.get("CREATED", ""))._replace(digests=own), file, sections, facts)


def _administered(
    link: FileLink, file: Element, sections: Mapping[str | None, Element], facts: dict[str, _FileFacts]
) -> FileLink:
    """Return a file with the facts in PREMIS in the sections that it refers to; `facts` is a cache by section."""
    digests: list[Digest] = []
    for name in islice(dict.fromkeys(f"{file.get('ADMID', '')} {file.get('MDID', '')}".split()), _MOST_SECTIONS):
        if name not in facts:
            facts[name] = _characteristics(sections.get(name))
        digests += facts[name].digests
        link = link._replace(size=facts[name].size if link.size is None else link.size)
    return with_digests(link, digests)


def _characteristics(section: Element | None) -> _FileFacts:
    """Return the facts in PREMIS in a section; none unless it is about one file only."""
    characteristics = [] if section is None else list(islice(section.iter("{*}objectCharacteristics"), 2))
    if len(characteristics) != 1 or "premis" not in name_of(characteristics[0])[0]:
        return _FileFacts()
    return _FileFacts(
        premis_size(characteristics[0]), tuple((name, value) for name, value, _ in premis_digests(characteristics[0]))
    )


def _address(location: Element) -> str:
    url = (location.get(_HREF) or location.get("LOCREF") or "").strip()
    return url if url.lower().startswith(("http://", "https://")) else ""


def _size(file: Element) -> int | None:
    text = file.get("SIZE", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None  # noqa: PLR2004 - petabytes


FORMAT = MetadataFormat(
    namespaces=(_METS, _METS_2), rank=60, read=read, schemas=("http://www.loc.gov/standards/mets/",)
)
