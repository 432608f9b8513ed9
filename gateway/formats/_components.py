"""The Component of a file in our DIDL: written, and read again exactly. Pure.

What is written here says everything that is known of a file, so pages can show it without a second truth.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import unescape

from gateway.core.addresses import address, any_uri
from gateway.core.digests import GATEWAY, UPSTREAM, digest, spelled
from gateway.core.model import FileLink, FileOrigin
from gateway.core.typed_links import SUPPLEMENT_FILE
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DCTERMS, DIDL, DII, PREMIS, RDF, clean, escape, escape_attribute
from gateway.formats._file_links import UNKNOWN

OBJECT_FILE = "info:eu-repo/semantics/objectFile"
FILE_TYPES = (OBJECT_FILE, SUPPLEMENT_FILE)
_MIME_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(?:\s*;.*)?")

BEFORE = '<didl:Descriptor><didl:Statement mimeType="text/xml; charset=UTF-8">'
AFTER = "</didl:Statement></didl:Descriptor>"
NAMED, WITH_NAME = f'{BEFORE}<dii:Identifier xmlns:dii="{DII}">', f"</dii:Identifier>{AFTER}"


def descriptor(content: str) -> str:
    """Return a Descriptor with one Statement."""
    return f"{BEFORE}{content}{AFTER}"


def term(name: str, text: str) -> str:
    """Return an element of dcterms."""
    return f'<dcterms:{name} xmlns:dcterms="{DCTERMS}">{escape(clean(text))}</dcterms:{name}>'


def type_of(uri: str) -> str:
    """Return an rdf:type."""
    return f'<rdf:type xmlns:rdf="{RDF}" rdf:resource="{uri}"/>'


def component(file: FileLink, modified: str) -> str:
    """Return the Component of a file; `modified` is the source's date of the record that names it."""
    described = "".join(map(descriptor, _secondary(file, modified)))
    known = f"{NAMED}{escape(any_uri(file.url))}{WITH_NAME}{_TYPED[file.is_supplement]}{described}"
    return f"<didl:Component>{known}{''.join(_resources(file))}</didl:Component>"


def _secondary(file: FileLink, modified: str) -> Iterator[str]:
    """Yield the further facts of a file, one for each Statement."""
    if file.size is not None:
        yield term("extent", f"{file.size} bytes")
    if file.modified:
        yield term("modified", file.modified)
    if file.license:
        yield term("license", file.license)
    yield term("provenance", _file_provenance(file, modified))
    for algorithm, value, is_ours in file.fixity:
        yield _fixity(spelled(algorithm), value, GATEWAY if is_ours else UPSTREAM)


def _fixity(algorithm: str, digest: str, originator: str) -> str:
    """Return a digest as PREMIS, with its originator: the source, or the gateway, which computed it from the file."""
    parts = (("Algorithm", algorithm), ("", digest), ("Originator", originator))
    inside = "".join(f"<premis:messageDigest{name}>{escape(text)}</premis:messageDigest{name}>" for name, text in parts)
    return f'<premis:fixity xmlns:premis="{PREMIS}">{inside}</premis:fixity>'


def _file_provenance(file: FileLink, modified: str) -> str:
    """Return the provenance of a file: who names it, where, and since when; it stays the same while the file does."""
    version = f"; version: {file.version}" if file.version else ""
    if file.origin is FileOrigin.DISCOVERED:
        notice = f"; notice: {file.retracted}" if file.retracted else ""
        return f"{file.origin.value}: found by {file.found_in} at {file.found_at}{version}{notice}"
    place = f" in {file.found_in}" if file.found_in else ""
    place += f" of the record of {modified}" if modified else ""
    place += f"; fetched at {file.found_at}" if file.found_at else ""
    missing = f"; missing: {file.missing}" if file.missing else ""
    return f"{file.origin.value}: named{place}{version}{missing}"


def _resources(file: FileLink) -> Iterator[str]:
    """Yield the Resources of a file: by reference, and by value if its bytes are embedded (ISO/IEC 21000-2)."""
    mime_type = file.mime_type if _MIME_TYPE.fullmatch(file.mime_type) else UNKNOWN
    opening = f'<didl:Resource mimeType="{escape_attribute(mime_type)}"'
    for url in filter(None, (file.url, file.copy_url)):
        yield f'{opening} ref="{escape_attribute(address(url))}"/>'
    if file.content:
        yield f'{opening} encoding="base64">{b64encode(file.content).decode()}</didl:Resource>'


_TYPED = tuple(descriptor(type_of(uri)) for uri in FILE_TYPES)


# --- reading ------------------------------------------------------------------------------------------------------

_OF_A_SEARCH = re.compile(
    r"discovered: found by (?P<found_in>.*?) at (?P<found_at>\S*?)"
    r"(?:; version: (?P<version>[^;]*))?(?:; notice: (?P<retracted>.*))?"
)
_OF_A_SOURCE = re.compile(
    r"upstream: named(?: in (?P<found_in>.*?))?(?: of the record of \S*?)?"
    r"(?:; fetched at (?P<found_at>\S*?))?(?:; version: (?P<version>.*?))?(?:; missing: (?P<missing>.*))?"
)
_SIZE = re.compile(r"(\d{1,19}) bytes")


def components(root: Element) -> tuple[FileLink, ...]:
    """Return the files of a DIDL that `component` wrote, supplements too, with everything that is known of them.

    A Component of another kind, such as that of the landing page, is left out. Documents of others may not be read so:
    their words would become ours.
    """
    return tuple(file for file in every_component(root) if file is not None)


def every_component(root: Element) -> Iterator[FileLink | None]:
    """Yield the file of every Component as `components` does, and None for a Component of another kind."""
    yield from map(_file, root.iter(f"{{{DIDL}}}Component"))


def components_apart(content: str) -> tuple[str, tuple[FileLink | None, ...]]:
    """Return a DIDL of ours without the Components of its files, and these files as `components` does, without a tree.

    A Component that is not written plainly, such as that of an embedded file, stays in the document; it is None here.
    """
    opening, *parts = content.split(_BEGIN)
    kept: list[str] = [opening]
    files: list[FileLink | None] = []
    for part in parts:
        inside, end, after = part.partition(_END)
        file = _skimmed(inside) if end else None
        files.append(file)
        if file is None:
            kept += (_BEGIN, inside, end)
        kept.append(after)
    return "".join(kept), tuple(files)


_BEGIN, _END = "<didl:Component>", "</didl:Component>"
_TERMS = ("extent", "modified", "license", "provenance")
_FIXITIES = re.compile(
    "<premis:messageDigestAlgorithm>([^<]*)</premis:messageDigestAlgorithm>"
    "<premis:messageDigest>([^<]*)</premis:messageDigest>"
    "<premis:messageDigestOriginator>([^<]*)</premis:messageDigestOriginator>"
)
_RESOURCES = re.compile('<didl:Resource mimeType="([^"]*)" ref="([^"]*)"/>')
# What `component` writes. A reference that `escape` does not write needs a parser.
_WRITTEN = re.compile(
    f"{re.escape(NAMED)}([^<]*){re.escape(WITH_NAME)}({'|'.join(map(re.escape, _TYPED))})"
    + "".join(
        f'(?:{re.escape(BEFORE)}<dcterms:{name} xmlns:dcterms="{re.escape(DCTERMS)}">([^<]*)</dcterms:{name}>'
        f"{re.escape(AFTER)})?"
        for name in _TERMS
    )
    + f'((?:{re.escape(BEFORE)}<premis:fixity xmlns:premis="{re.escape(PREMIS)}">{_FIXITIES.pattern}</premis:fixity>'
    f"{re.escape(AFTER)})*)((?:{_RESOURCES.pattern})+)"
)
_STRANGE_REFERENCE = re.compile("&(?!(?:amp|lt|gt|quot);)")


def _skimmed(inside: str) -> FileLink | None:
    match = _WRITTEN.fullmatch(inside)
    if match is None or _STRANGE_REFERENCE.search(inside):
        return None
    url, *terms = (" ".join(_unescaped(text or "").split()) for text in match.group(1, 3, 4, 5, 6))
    digests = [
        (algorithm, value, originator == GATEWAY)
        for stated_algorithm, text, originator in _FIXITIES.findall(match[7])
        for algorithm, value in digest(_unescaped(stated_algorithm), _unescaped(text))
    ]
    resources = [(_unescaped(mime_type), _unescaped(ref)) for mime_type, ref in _RESOURCES.findall(match[11])]
    link = _link(url, dict(zip(_TERMS, terms, strict=True)), digests, resources, b"")
    return link._replace(is_supplement=match[2] == _TYPED[True])


def _unescaped(text: str) -> str:
    return unescape(text, {"&quot;": '"'}) if "&" in text else text


def _file(element: Element) -> FileLink | None:
    statements = [
        child
        for statement in element.iterfind(f"./{{{DIDL}}}Descriptor/{{{DIDL}}}Statement")
        for child in children(statement)
    ]
    types = {child.get(f"{{{RDF}}}resource") for child in statements}.intersection(FILE_TYPES)
    if not types:
        return None
    resources = list(element.iterfind(f"./{{{DIDL}}}Resource"))
    terms = {name_of(child): text_of(child) for child in statements}
    link = _link(
        terms.get((DII, "Identifier"), ""),
        {name: text for (namespace, name), text in terms.items() if namespace == DCTERMS},
        [pair for child in statements if name_of(child) == (PREMIS, "fixity") for pair in _digests(child)],
        [(resource.get("mimeType") or "", resource.get("ref") or "") for resource in resources],
        _content(resources),
    )
    return link._replace(is_supplement=SUPPLEMENT_FILE in types)


def _link(
    url: str,
    terms: Mapping[str, str],
    digests: Sequence[tuple[str, str, bool]],
    resources: Sequence[tuple[str, str]],
    content: bytes,
) -> FileLink:
    """Return a file of the texts of its Component; `resources` have the media type and the address of each Resource."""
    refs = [ref for _, ref in resources if ref]
    provenance = terms.get("provenance", "")
    origin = FileOrigin.DISCOVERED if provenance.startswith(FileOrigin.DISCOVERED.value) else FileOrigin.UPSTREAM
    is_found = origin is FileOrigin.DISCOVERED
    match = _OF_A_SEARCH.fullmatch(provenance) if is_found else _OF_A_SOURCE.fullmatch(provenance)
    known = {name: value or "" for name, value in match.groupdict().items()} if match else {}
    sized = _SIZE.fullmatch(terms.get("extent", ""))
    ours = [value for algorithm, value, is_ours in digests if is_ours and algorithm == "sha256"]
    stated = tuple((algorithm, value) for algorithm, value, is_ours in digests if not is_ours)
    return FileLink(
        refs[0] if refs else url,
        mime_type=next((mime_type or UNKNOWN for mime_type, _ in resources), UNKNOWN),
        origin=origin,
        size=int(sized[1]) if sized else None,
        sha256=next(iter(ours), dict(stated).get("sha256", "")),
        modified=terms.get("modified", ""),
        license=terms.get("license", ""),
        copy_url=refs[1] if refs[1:] else "",
        content=content,
        digests=stated,
        found_in=known.get("found_in", ""),
        found_at=known.get("found_at", ""),
        version=known.get("version", ""),
        retracted=known.get("retracted", ""),
        missing=known.get("missing", ""),
    )


def _digests(fixity: Element) -> Iterator[tuple[str, str, bool]]:
    parts = {name_of(child)[1]: text_of(child) for child in children(fixity)}
    for algorithm, value in digest(parts.get("messageDigestAlgorithm", ""), parts.get("messageDigest", "")):
        yield algorithm, value, parts.get("messageDigestOriginator") == GATEWAY


def _content(resources: list[Element]) -> bytes:
    """Return the bytes of a file that is embedded; its other Resources are references to the same bytes."""
    return next((b64decode(resource.text or "") for resource in resources if resource.get("encoding") == "base64"), b"")
