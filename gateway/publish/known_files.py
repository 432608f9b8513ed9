"""Adds known files to a work: discovered ones, and facts about the files that its record names. Pure.

A file that the record names stays a file of the source; facts that the record lacks come from the fetched file. An
accepted file of a search is added, marked as discovered. The statements of the source always come first.
"""

from __future__ import annotations

from collections.abc import Iterable

from gateway.core.digests import is_strong
from gateway.core.model import FileLink, FileOrigin, Work
from gateway.formats.oai_dc import naming

_UNKNOWN = "application/octet-stream"


def completed(work: Work, known: Iterable[FileLink]) -> Work:
    """Return a work with its known files. Facts about a file that the record no longer names are left out."""
    files = {file.url: file for file in work.files}
    named = []
    for entry in known:
        if entry.url in files:
            files[entry.url] = _learned(files[entry.url], entry)
        elif entry.origin is FileOrigin.DISCOVERED:
            files[entry.url] = entry
            named += [entry.url] * entry.is_named
    work = work._replace(files=tuple(files.values()))
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
