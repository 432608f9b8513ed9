"""One file per metadata format; each exports `FORMAT`. Formats know neither the store nor the web.

A format that has a metadataPrefix is written, and exists for every item; one without only reads, for a namespace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from gateway.model import Work
from gateway.registry import members
from gateway.xmlio import Element


@dataclass(frozen=True, slots=True)
class MetadataFormat:
    """One format. `rank` says how rich it is: the Work of an item is read from its highest.

    `read(element, content)` takes the root of a payload and its bytes, which stand alone, and returns a Work, or None
    when the payload is not what its namespace promises. `glance(content)` reads a plain payload without a tree, just
    as `read` would, or returns None and leaves it to `read`. `write(work)` returns a fragment that stands alone, in
    UTF-8.
    `read_by(element, content, fields)` is there when a source's entry says how the fields of its payloads are called.
    `version` grows when the same Work is written otherwise than before.
    """

    namespaces: tuple[str, ...]  # read from; the first is the metadataNamespace of what is written
    rank: int
    read: Callable[[Element, bytes], Work | None]
    metadata_prefix: str = ""
    schema: str = ""
    version: int = 1
    write: Callable[[Work], bytes] | None = None
    glance: Callable[[bytes], Work | None] | None = None
    read_by: Callable[[Element, bytes, Mapping[str, str]], Work | None] | None = None

    @property
    def namespace(self) -> str:
        """The metadataNamespace; empty for the fallback, which reads what nobody else does."""
        return self.namespaces[0] if self.namespaces else ""

    @property
    def key(self) -> tuple[str, ...]:
        """What no other format may have: its prefix, or else its namespaces, or else that it is the fallback."""
        return (self.metadata_prefix,) if self.metadata_prefix else self.namespaces or ("any other namespace",)


@cache
def load() -> tuple[MetadataFormat, ...]:
    """Return all formats, the richest first. Raise ConfigurationError when a file is no member or two are the same."""
    found = members(sys.modules[__name__], "FORMAT", MetadataFormat, lambda each: each.key)
    return tuple(sorted(found, key=lambda each: -each.rank))


@cache
def written() -> Mapping[str, MetadataFormat]:
    """Return the formats that exist for every item, by prefix, `oai_dc` first: the others may carry it."""
    ours = {each.metadata_prefix: each for each in load() if each.metadata_prefix}
    return dict(sorted(ours.items(), key=lambda pair: pair[0] != "oai_dc"))


@cache
def glancing() -> tuple[MetadataFormat, ...]:
    """Return the formats that can read their plain payloads at a glance."""
    return tuple(each for each in load() if each.glance)


@cache
def reader_of(namespace: str) -> MetadataFormat:
    """Return the format that reads a namespace; the fallback when no file knows it."""
    return next((each for each in load() if namespace in each.namespaces), load()[-1])
