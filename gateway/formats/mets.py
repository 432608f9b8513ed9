"""METS (Library of Congress, METS 1.12; profiles of DFG-Viewer, DSpace, Archivematica, Fedora).

The description is that of the whole, never of a chapter or page. Of the files in fileSec, one group counts: the best
there is, with one file per page. What is written has MODS, and the files in one group.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gateway.core.addresses import address, is_address
from gateway.core.bibliography.identifiers import is_test_address
from gateway.core.digests import Digest, Digests, digest
from gateway.core.model import FileLink, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DCTERMS
from gateway.formats import reader_of, readers_by_root
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import UNKNOWN, file_type, type_named
from gateway.formats._stated import dated, premis_digests, premis_size, with_digests
from gateway.formats._statements import completed, license_in
from gateway.formats._tables import format_of
from gateway.formats._templates import TABLES
from gateway.formats._writing import Facts

_METS = "http://www.loc.gov/METS/"
_MOST_SECTIONS = 100  # referred to by one file
_HREF = "{http://www.w3.org/1999/xlink}href"

# Groups (fileGrp/@USE, else @ID) of files that were made of the work, or about it (DSpace, Archivematica, Fedora).
_NEVER = frozenset((
    "thumbs", "thumbnail", "thumbnails", "thumb", "tn", "teaser", "fulltext", "text", "text/ocr", "ocr", "alto",
    "license", "license_rdf", "cc-license", "metadata", "submissiondocumentation", "sword", "branded_preview",
    "preview", "local", "rels-ext", "mods", "dc", "techmd", "transcript", "iiif", "licence", "hocr",
))  # fmt: skip
_ICONS = ("thumb", "icon", "ocr-d", "fulltext")
# Groups of images of pages in several sizes, the best first: only one of them counts.
_IMAGES = (
    "original", "obj", "master", "lza", "max", "archive", "reference", "reference image", "default", "access",
    "presentation", "min", "medium_size",
)  # fmt: skip


class _FileFacts(NamedTuple):
    """The facts in a section about the file that refers to it."""

    size: int | None = None
    digests: Digests = ()


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the description of the whole, with the files."""
    if name_of(root)[1] != "mets":
        return None
    files = tuple({file.url: file for file in _files(root)}.values())
    work = next(filter(None, map(_described, _descriptive(root))), None) or _labelled(root)
    page, licence = _rights(root)
    links = tuple(file if file.license else file._replace(license=licence) for file in files)
    whole = completed(work, files=links)
    return whole._replace(landing_page=page or whole.landing_page, license=whole.license or licence)


# --- the description -------------------------------------------------------------------------------------------------


def _descriptive(root: Element) -> list[Element]:
    """Return the contents of the sections with descriptive metadata, that of the whole first.

    METS 1 has an element for them, METS 2 an attribute.
    """
    sections = list(root.iterfind("{*}dmdSec"))
    sections += root.iterfind("{*}mdSec//{*}md[@USE='DESCRIPTIVE']")
    by_id = {section.get("ID", ""): section for section in sections}
    first: dict[str, None] = {}
    maps = sorted(root.iterfind("{*}structMap"), key=lambda map_: (map_.get("TYPE") or "").lower() != "logical")
    for map_ in maps:
        for div in islice(map_.iter("{*}div"), 3):
            first.update(dict.fromkeys(f"{div.get('DMDID') or ''} {div.get('MDID') or ''}".split()))
            if first:
                break
    named = [by_id[name] for name in first if name in by_id]
    ranked = sorted(sections, key=_rank) if not named else [*sorted(named, key=_rank), *sections]
    return [data for section in ranked for data in section.iterfind("{*}mdWrap/{*}xmlData")]


def _rank(section: Element) -> int:
    """Return how rich a description is: the lowest is the best."""
    data = section.find("{*}mdWrap/{*}xmlData")
    payload = None if data is None else next(_payloads(data), None)
    return -reader_of(payload[0]).rank if payload else 1


def _described(data: Element) -> Work | None:
    for namespace, child in _payloads(data):
        readers = (reader_of(namespace), *readers_by_root(name_of(child)[1]))
        for reader in readers:
            work = reader.read(child, b"")
            if work is not None and work.statements:
                return work
    return None


def _payloads(holder: Element) -> Iterator[tuple[str, Element]]:
    """Yield namespace and root of the payloads; bare Dublin Core elements have no root, so it is their parent."""
    roots = list(children(holder))
    if len(roots) == 1:
        yield name_of(roots[0])[0], roots[0]
    elif roots:
        yield DCTERMS, holder


def _labelled(root: Element) -> Work:
    """Return the Work of a package without a description: its title is its label."""
    known = Describing()
    known.title(root.get("LABEL") or "")
    return known.work() or Work()


def _rights(root: Element) -> tuple[str, str]:
    """Return the page and the licence that the profile of DFG-Viewer states (dv:links, dv:rights)."""
    page = next((text for element in root.iter("{*}presentation") if is_address(text := text_of(element))), "")
    licences = (license_in(text_of(element)) for element in root.iter("{*}license"))
    return ("" if is_test_address(page) else page), next(filter(None, licences), "")


# --- files -----------------------------------------------------------------------------------------------------------


def _files(root: Element) -> Iterator[FileLink]:
    namespace = f"{{{name_of(root)[0]}}}"
    groups: dict[str, list[tuple[Element, str]]] = {}
    for file in root.iterfind(f"{namespace}fileSec//{namespace}file"):
        url = next((url for element in file.iterfind(f"{namespace}FLocat") if (url := _address(element))), "")
        uses = [_use(group) for group in file.iterancestors(f"{namespace}fileGrp")]
        use = next(filter(None, [(file.get("USE") or "").lower(), *uses]), "")
        if url and not any(_is_side(one) for one in (use, *uses)) and "html" not in (file.get("MIMETYPE") or ""):
            groups.setdefault(use, []).append((file, url))
    sections = (
        {element.get("ID"): element for element in root.iter(f"{namespace}*") if element.get("ID")} if groups else {}
    )
    facts: dict[str, _FileFacts] = {}
    for file, url in _best(groups, _whole_files(root, namespace)):
        mime_type = file.get("MIMETYPE") or ""
        type_ = type_named(mime_type) or file_type(url) or UNKNOWN
        link = FileLink(address(url), type_, found_in="mets:FLocat", size=_size(file))
        own = digest(file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", ""))
        yield _administered(dated(link, file.get("CREATED", ""))._replace(digests=own), file, sections, facts)


def _use(group: Element) -> str:
    return (group.get("USE") or group.get("ID") or "").lower()


def _is_side(use: str) -> bool:
    return use in _NEVER or any(part in use for part in _ICONS)


def _whole_files(root: Element, namespace: str) -> frozenset[str]:
    """Return the IDs of the files to which the top of the logical structure points: the work in one file."""
    top = root.find(f"{namespace}structMap/{namespace}div")
    pointers = () if top is None else top.iterfind(f"{namespace}fptr")
    return frozenset(pointer.get("FILEID") or "" for pointer in pointers)


def _best(groups: Mapping[str, list[tuple[Element, str]]], wholes: frozenset[str]) -> Iterator[tuple[Element, str]]:
    """Yield the files to publish: those that are the work in one file, and the best group of the others."""
    pictures = [use for use in groups if _is_image(groups[use], "image" if use in _IMAGES else "")]
    images = [use for use in _IMAGES if use in pictures] or ["download"] * ("download" in pictures) or pictures[:1]
    pages = len(groups[images[0]]) if images else 0
    same = (use for use in pictures if len(groups[use]) == pages > 1)  # the same pages under other names
    sizes = {*images, *same} - {*images[:1]}
    for use, files in groups.items():
        if use in sizes:
            continue
        if use == "download" and images and use not in images:  # also one per page
            yield from [(file, url) for file, url in files if file.get("ID") in wholes] or (
                files if len(files) == 1 else []
            )
        else:
            yield from files


def _is_image(files: list[tuple[Element, str]], default: str) -> bool:
    return any((file.get("MIMETYPE") or default).startswith("image") for file, _ in files[:3])


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
    is_web = url.lower().startswith(("http://", "https://")) and location.get("LOCTYPE") != "OTHER"
    is_description = url.endswith(("/info.json", "/manifest.json", "/manifest"))  # of IIIF
    return url if is_web and not is_description and not is_test_address(url) else ""


def _size(file: Element) -> int | None:
    text = file.get("SIZE", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None  # noqa: PLR2004 - petabytes


# --- writing ---------------------------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A file with its place, and the checksum whose algorithm METS has a name for."""

    file: FileLink
    place: int
    algorithm: str
    checksum: str


def _values(facts: Facts) -> Mapping[str, object]:
    known = TABLES["mets_algorithms"]
    checksums = (next((one for one in file.fixity if one[0] in known), ("", "")) for file in facts.files)
    entries = enumerate(zip(facts.files, checksums, strict=True), 1)
    return {
        "best": first(identifier.url or identifier.text for identifier in facts.identifiers),
        "entries": [_Entry(file, place, *checksum[:2]) for place, (file, checksum) in entries],
    }


FORMAT = format_of("mets", read=read, written="mets", values=_values)
