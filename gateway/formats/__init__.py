"""One file per metadata format; each exports `FORMAT`. Formats know neither the store nor the web.

A format that has a metadataPrefix is written, and exists for every item; one without only reads, for a namespace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
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
    `schemas` are the folders where the XSDs of what is read lie, where they tell nothing of the namespace.
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
    schemas: tuple[str, ...] = ()

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


def namespace_told(profiles: Iterable[str]) -> str:
    """Return the namespace that the first of these profiles means which means one that a file reads; else nothing.

    A profile is the address of a namespace, of all its versions (`http://www.loc.gov/mods/`), or of what lies below it,
    or that of a schema.
    """
    return next(filter(None, map(_meant, profiles)), "")


def _meant(profile: str) -> str:
    bare = _bare(profile)
    close = [(each, name) for each in load() for name in each.namespaces if _is_close(bare, _bare(name))]
    exact = [name for _, name in close if _bare(name) == bare]
    by_schema = [each for each in load() if any(bare.startswith(_bare(schema)) for schema in each.schemas)]
    close = close or [(each, each.namespace) for each in by_schema]
    is_plain = len({each.key for each, _ in close}) == 1  # what could mean two formats means none
    return next(iter(exact), max((name for _, name in close), key=len) if is_plain else "")


def _is_close(one: str, other: str) -> bool:
    return one == other or one.startswith((f"{other}/", f"{other}.")) or other.startswith(f"{one}/")


def _bare(address: str) -> str:
    return address.rstrip("/#").replace("https://", "http://", 1)
