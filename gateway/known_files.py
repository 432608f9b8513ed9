"""What is known of a work's files besides what its upstream says: those that were found, and what was learned. Pure.

A file that the upstream names stays the upstream's; what it does not say of it, whoever fetched it may. One that was
found and accepted is carried beside them, marked as found. The upstream's own word always comes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from gateway.digests import is_strong
from gateway.formats.oai_dc import naming
from gateway.model import FileLink, FileOrigin, Work

_UNKNOWN = "application/octet-stream"


def completed(work: Work, known: Iterable[FileLink]) -> Work:
    """Return a work with what is known of its files besides. What was learned of a file no longer named is left out."""
    files = {each.url: each for each in work.files}
    named = []
    for each in known:
        if each.url in files:
            files[each.url] = _learned(files[each.url], each)
        elif each.origin is FileOrigin.DISCOVERED:
            files[each.url] = each
            named += [each.url] * each.is_named
    work = work._replace(files=tuple(files.values()))
    return naming(work, named) if named else work


def _learned(link: FileLink, known: FileLink) -> FileLink:
    """Return what an upstream says of a file, and what it leaves open; nothing of bytes other than those it names."""
    if _means_others(link, known):
        return link
    return link._replace(
        mime_type=known.mime_type if link.mime_type == _UNKNOWN else link.mime_type,
        size=link.size if is_strong(link.digests) else known.size,  # who states an MD5 may mean newer bytes than ours
        sha256=known.sha256,
        modified=link.modified or known.modified,
        found_at=known.found_at,
        content=known.content,
    )


def _means_others(link: FileLink, known: FileLink) -> bool:
    """Tell whether an upstream states another digest or size than was fetched, or a change since."""
    if link.sha256:
        return link.sha256.lower() != known.sha256
    return link.size not in (None, known.size) or bool(known.found_at and link.modified > known.found_at)
