"""`oai_didl`: an MPEG-21 DIDL document per item, its files By-Reference (ISO/IEC 21000-2; D-Lib Magazine 10(12), 2004).

It has one Item: its identifier, the published oai_dc unchanged, the date of the last change at the source, and a
Component for each file. Supplements come behind the files, with a type of their own. A further Component is for the
landing page, with a type that distinguishes it from files.
DIDLs of all profiles are read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from gateway.core import xmlio
from gateway.core.addresses import address, any_uri, is_address, uri_of
from gateway.core.model import Content, FileLink, Statement, Work
from gateway.core.typed_links import SUPPLEMENT_FILE
from gateway.core.xmlio import Element, name_of, text_of
from gateway.core.xmltext import DIDL, DII, RDF, XSI, escape, escape_attribute
from gateway.formats import MetadataFormat, oai_dc
from gateway.formats._components import (
    AFTER,
    BEFORE,
    FILE_TYPES,
    NAMED,
    WITH_NAME,
    component,
    components,
    components_apart,
    descriptor,
    every_component,
    term,
    type_of,
)
from gateway.formats._file_links import UNKNOWN, file_type, type_named
from gateway.formats._stated import describers, stated
from gateway.formats._statements import completed

SCHEMA = "http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd"
START_PAGE = "info:eu-repo/semantics/humanStartPage"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_BYTES = 1 << 62
_OPENING = f'<didl:DIDL xmlns:didl="{DIDL}" xmlns:xsi="{XSI}" xsi:schemaLocation="{DIDL} {SCHEMA}"><didl:Item>'
_CLOSING = "</didl:Item></didl:DIDL>"


def write(work: Work) -> bytes:
    """Return the DIDL of a work in UTF-8 (ISO/IEC 21000-2), which contains its oai_dc."""
    name = next(iter(work.identifiers), "") or work.landing_page or work.upstream
    after = [AFTER]
    if work.modified:
        after.append(_modified(work.modified))
    after += [component(file, work.modified) for file in _referred(work)]
    if is_address(work.landing_page):
        after.append(_page(work.landing_page))
    after.append(_CLOSING)
    before = f"{_OPENING}{NAMED}{escape(any_uri(name))}{WITH_NAME}{BEFORE}"
    return b"".join((before.encode(), oai_dc.write(work), "".join(after).encode()))


def contents(work: Work) -> Iterator[Content]:
    """Yield the files to which the DIDL of a work refers, in its order."""
    for file in _referred(work):
        sha256 = next((digest for algorithm, digest, _ in file.fixity if algorithm == "sha256"), "").lower()
        size = file.size if file.size is not None and 0 <= file.size < _MOST_BYTES else None
        is_sound = _SHA256.fullmatch(sha256) is not None
        digest_ = sha256 if is_sound else ""
        yield Content(file.url, file.mime_type, size, digest_, file.modified, file.copy_url, file.is_supplement)


def _referred(work: Work) -> Iterator[FileLink]:
    return (file for file in work.all_files if is_address(file.url))  # no other is a legal anyURI


@lru_cache(maxsize=1024)  # many records of a source changed together
def _modified(text: str) -> str:
    return descriptor(term("modified", text))


def _page(url: str) -> str:
    named = f"<didl:Component>{NAMED}{escape(any_uri(url))}{WITH_NAME}{_START_PAGE}"
    return f'{named}<didl:Resource mimeType="text/html" ref="{escape_attribute(address(url))}"/></didl:Component>'


_START_PAGE = descriptor(type_of(START_PAGE))


def files_of_ours(root: Element) -> tuple[FileLink, ...]:
    """Return the files of a DIDL that `write` made, supplements too, with everything that was known of them."""
    return components(root)


def read_apart(content: bytes) -> Work | None:
    """Return the Work of a DIDL that `write` made, and read most of its files without a tree.

    Return None if it needs more memory than one record may, even without these files, or has sections or comments,
    which could hide anything. Raise NotXml if it is not well-formed.
    """
    if b"<!" in content or b"<?" in content:
        return None
    document, files = components_apart(content.decode())
    left = document.encode()
    if xmlio.memory_of(left) > xmlio.MAX_MEMORY:
        return None
    root = xmlio.parse(left)
    others = every_component(root)
    in_order = (next(others, None) if file is None else file for file in files)
    return (read(root, b"") or Work()).with_files(file for file in in_order if file is not None)


# --- reading ------------------------------------------------------------------------------------------------------

_METADATA_TYPE = "info:eu-repo/semantics/descriptiveMetadata"
_NO_FILES = (_METADATA_TYPE, START_PAGE)
_MOST_RESOURCES = 100  # of one Component, which are one file in several forms
_BROKEN_LINE = re.compile(r"^\s+|\s{2,}|\s+$")  # the article itself breaks an address in two lines (Example 4)
_METADATA_MIME_TYPES = ("application/xml", "text/xml")  # a reference to a metadata record, more often than not


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of any DIDL: of its first readable metadata, its own identifiers, and its references."""
    if name_of(root) != (DIDL, "DIDL"):
        return None
    metadata = _metadata(root) or Work()
    files, page = _references(root)
    known = {statement.text for statement in metadata.statements}
    identifiers = tuple(
        Statement("identifier", text)
        for element in root.iterfind(f"./{{{DIDL}}}Item/{{{DIDL}}}Descriptor/{{{DIDL}}}Statement/{{{DII}}}Identifier")
        if (text := text_of(element)) and text not in known
    )
    work = completed(metadata, identifiers, files, page)
    supplements = {file.url for file in files if file.is_supplement}  # metadata inside may name them like files
    return work.with_files(file._replace(is_supplement=file.url in supplements) for file in work.files)


def _metadata(root: Element) -> Work | None:
    """Return the Work of the richest metadata inside, at any place of a profile."""
    from gateway.formats import reader_of  # noqa: PLC0415 - it needs all formats, which are loaded later

    best: tuple[int, Work] | None = None
    for holder in root.iter(f"{{{DIDL}}}Statement", f"{{{DIDL}}}Resource"):
        for child in holder.iterchildren():
            namespace, _ = name_of(child)
            reader = reader_of(namespace)
            if not reader.namespaces or namespace == DIDL or (best and best[0] >= reader.rank):
                continue
            work = reader.read(child, b"")
            if work is not None and work.statements:
                best = (reader.rank, work)
    return best[1] if best else None


def _references(root: Element) -> tuple[tuple[FileLink, ...], str]:
    """Return the files in the references of Resources, and the landing page."""
    files: dict[str, FileLink] = {}
    page = ""
    seen: dict[Element, tuple[str, ...]] = {}
    alone: dict[Element, bool] = {}
    in_component: Counter[Element | None] = Counter()
    for resource in root.iter(f"{{{DIDL}}}Resource"):
        in_component[resource.getparent()] += 1
        if in_component[resource.getparent()] > _MOST_RESOURCES:
            continue
        url = _BROKEN_LINE.sub("", resource.get("ref") or "")
        if not url.lower().startswith(("http://", "https://")):
            continue
        types = set(_types_above(resource, seen))
        is_typed = not types.isdisjoint(FILE_TYPES)
        is_page = START_PAGE in types or (not is_typed and "html" in (resource.get("mimeType") or ""))
        if is_page:
            page = page or address(url)
        elif not types.intersection(_NO_FILES) and (file := _file(resource, url, alone, is_typed=is_typed)):
            files.setdefault(file.url, file._replace(is_supplement=SUPPLEMENT_FILE in types))
    return tuple(files.values()), page


def _file(resource: Element, url: str, alone: dict[Element, bool], *, is_typed: bool) -> FileLink | None:
    mime_type = type_named(resource.get("mimeType") or "") or file_type(url)
    is_known = mime_type and mime_type not in _METADATA_MIME_TYPES and not uri_of(url)
    if not is_known and not is_typed:
        return None
    file = FileLink(address(url), mime_type or UNKNOWN, found_in="didl:Resource")
    component = resource.getparent()
    return file if component is None else stated(file, describers(component, alone))


def _types_above(resource: Element, seen: dict[Element, tuple[str, ...]]) -> Iterator[str]:
    """Yield the semantic types of a Resource: those of its Component, or of the nearest Item that has one."""
    for holder in resource.iterancestors(f"{{{DIDL}}}Component", f"{{{DIDL}}}Item"):
        if holder not in seen:
            seen[holder] = tuple(_types(holder))
        sections_ = seen[holder]
        if sections_:
            yield from sections_
            return


def _types(holder: Element) -> Iterable[str]:
    for element in holder.iterfind(f"./{{{DIDL}}}Descriptor/{{{DIDL}}}Statement//{{{RDF}}}type"):
        yield element.get(f"{{{RDF}}}resource") or text_of(element)
    for element in holder.iterfind(f"./{{{DIDL}}}Descriptor/{{{DIDL}}}Statement/*"):
        if name_of(element)[1] == "ObjectType":
            yield text_of(element)


FORMAT = MetadataFormat(
    metadata_prefix="oai_didl",
    schema=SCHEMA,
    namespaces=(DIDL,),
    # 2: every about of an upstream is carried on; 3: digests in all algorithms, and who states them; 4: as oai_dc 3,
    # and bytes that are embedded stand beside the references
    version=4,
    rank=70,
    read=read,
    write=write,
    schemas=("http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/",),
)
