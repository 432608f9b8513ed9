"""Reads the payloads of one item into its Work, and joins it with what is known of its files. Pure, like `mapping`.

A payload that is published stands alone: it declares its namespaces itself.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gateway.core import xmlio
from gateway.core.digests import is_strong
from gateway.core.errors import NotXml, UnusableRecord
from gateway.core.model import FileLink, FileOrigin, Work
from gateway.core.xmltext import DC, OAI_DC, escape_attribute
from gateway.formats import glancing, reader_of, readers_by_root, refuse_other_things, stated_namespace
from gateway.formats.oai_dc import naming
from gateway.publish import provenance, resourcesync_abouts

_UNKNOWN = "application/octet-stream"

# Every quantifier is possessive. Otherwise a hostile payload could make the match take for ever.
_START_TAG = re.compile(rb"(?s)(?>(?:\s++|<!--.*?-->|<\?.*?\?>)*)<[^\s/>]++")
_WHOLE_START_TAG = re.compile(_START_TAG.pattern + rb"(?>(?:\s++[^\s=/>]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*)")
_DECLARED = re.compile(rb"\sxmlns(?::([^\s=]+))?\s*=")


def standing_alone(content: bytes, declarations: tuple[tuple[str, str], ...]) -> bytes:
    """Return a payload with those of `declarations` (prefix, URI) that it uses and does not declare itself.

    An XML declaration at its beginning is removed.
    """
    content = content.strip()
    if content.startswith(b"<?xml "):  # it would be illegal inside an answer
        content = content.partition(b"?>")[2].lstrip()
    tag = _WHOLE_START_TAG.match(content) if declarations else None
    if tag is None:
        return content
    # `declarations` are those of the whole record; one part may need a prefix that another part declares or does not
    # use.
    own = _declared(tag[0])
    names = "".join(
        f' xmlns{":" * bool(prefix)}{prefix}="{escape_attribute(uri)}"'
        for prefix, uri in declarations
        if prefix not in own and (not prefix or f"{prefix}:".encode() in content)
    )
    return _with(content, names.encode()) if names else content


def _declared(start_tag: bytes) -> set[str]:
    """Return the prefixes that a start tag declares; that of the default namespace is empty."""
    return {(match[1] or b"").decode() for match in _DECLARED.finditer(start_tag)}


def _with(content: bytes, attributes: bytes) -> bytes:
    tag = _START_TAG.match(content)
    return content[: tag.end()] + attributes + content[tag.end() :] if tag else content


def guarded(content: bytes, root: xmlio.Element) -> bytes:
    """Return a payload that does not inherit the default namespace of our answers; `root` is its parsed root."""
    if None in root.nsmap or all("}" in element.tag for element in root.iter() if isinstance(element.tag, str)):
        return content
    tag = _WHOLE_START_TAG.match(content)
    return content if tag and "" in _declared(tag[0]) else _with(content, b' xmlns=""')


class Given(NamedTuple):
    """One payload of an item. `exposed` is the prefix under which it is served unchanged; empty: it is not."""

    metadata_prefix: str
    exposed: str
    content: bytes
    declarations: tuple[tuple[str, str], ...]
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    abouts: tuple[bytes, ...]
    received_at: int
    is_repaired: bool


class Read(NamedTuple):
    """A payload with its Work (None: it says nothing of one), and whether the fallback read it."""

    given: Given
    content: bytes
    namespace: str
    rank: int
    work: Work | None
    by_fallback: bool = False


def read(given: Given, is_only: bool, fields: Mapping[str, str]) -> Read:
    """Read a payload. If it is the only one of its item, and not served unchanged, it may be read by `glance`."""
    content = standing_alone(given.content, given.declarations)
    if is_only and not given.exposed:
        for known in glancing():
            assert known.glance is not None
            if (work := known.glance(content)) is not None:
                return Read(
                    given, content, known.namespace, known.rank, resourcesync_abouts.completed(work, given.abouts)
                )
    try:
        root = xmlio.parse(content)
    except NotXml as error:
        raise UnusableRecord(f"The metadata cannot be used. {error}") from error
    refuse_other_things(root)
    namespace, name = xmlio.name_of(root)
    if given.exposed:
        content = guarded(content, root)
    reader = reader_of(namespace)
    profile = "" if reader.namespaces else stated_namespace(resourcesync_abouts.profiles(given.abouts))
    if profile and (work := _read_as(profile, namespace, root)):
        return Read(given, content, profile, reader_of(profile).rank, resourcesync_abouts.completed(work, given.abouts))
    work = reader.read_by(root, content, fields) if reader.read_by else reader.read(root, content)
    by_fallback = not reader.namespaces and not readers_by_root(name)
    work = work and resourcesync_abouts.completed(work, given.abouts)
    return Read(given, content, namespace, reader.rank, work, by_fallback)


def _read_as(stated_namespace: str, namespace: str, root: xmlio.Element) -> Work | None:
    """Read a payload with an unknown namespace as one of `stated_namespace`; None if that gives no statements."""
    elements = DC if stated_namespace == OAI_DC else stated_namespace  # whose children are in a namespace of their own
    same = xmlio.renamed(root, namespace, elements)
    work = reader_of(elements).read(same, b"")
    return work if work and work.statements else None


def best_first(prefer: Sequence[str], read: list[Read]) -> list[Read]:
    """Return the payloads by the preferred prefixes, then by rank; those without statements are last."""
    if len(read) == 1:
        return read
    places = {prefix: place for place, prefix in enumerate(prefer)}

    def order(record: Read) -> tuple[bool, int, int]:
        is_mute = record.work is None or not record.work.statements
        return is_mute, places.get(record.given.metadata_prefix, len(places)), -record.rank

    return sorted(read, key=order)


def work_of(upstream: str, read: list[Read]) -> Work:
    """Return the Work of the first payload; facts that it lacks come from the others."""
    works = [record.work for record in read if record.work is not None] or [Work()]
    best = works[0]
    if len(works) == 1:
        return best._replace(modified=_modified(read), upstream=upstream)
    return Work(
        statements=best.statements,
        identifiers=next((work.identifiers for work in works if work.identifiers), ()),
        landing_page=next((work.landing_page for work in works if work.landing_page), ""),
        license=best.license,
        modified=_modified(read),
        upstream=upstream,
        oai_dc=next((work.oai_dc for work in works if work.oai_dc), b""),
        bibliography=best.bibliography,
    ).with_files(file for work in works for file in work.all_files)


def _modified(read: list[Read]) -> str:
    return max(
        [provenance.datestamp_of(record.given.datestamp, record.given.received_at) for record in read], default=""
    )


def with_known_files(work: Work, known: Iterable[FileLink]) -> Work:
    """Return a work with its known files: discovered ones, and facts about the files that its record names.

    A file that the record names stays a file of the source; facts that the record lacks come from the fetched file. An
    accepted file of a search is added, marked as discovered. The statements of the source always come first. Facts
    about a file that the record no longer names are left out.
    """
    files = {file.url: file for file in work.all_files}
    named = []
    for entry in known:
        if entry.url in files:
            files[entry.url] = _learned(files[entry.url], entry)
        elif entry.origin is FileOrigin.DISCOVERED:
            files[entry.url] = entry
            named += [entry.url] * entry.is_named
    work = work.with_files(files.values())
    return naming(work, named) if named else work


def _learned(link: FileLink, known: FileLink) -> FileLink:
    """Return a file of the record with the facts that it lacks, unless the record means other bytes."""
    link = link._replace(missing=known.missing)
    if _means_others(link, known):
        return link
    return link._replace(
        mime_type=known.mime_type if link.mime_type == _UNKNOWN else link.mime_type,
        size=link.size if is_strong(link.digests) else known.size,  # a stated MD5 may be that of newer bytes than ours
        sha256=known.sha256,
        modified=link.modified or known.modified,
        found_at=known.found_at,
        content=known.content,
    )


def _means_others(link: FileLink, known: FileLink) -> bool:
    """Return whether the source states another digest or size than that of the fetched file, or a later change."""
    if link.sha256:
        return link.sha256.lower() != known.sha256
    return link.size not in (None, known.size) or bool(known.found_at and link.modified > known.found_at)
