"""The metadata formats: one file per format, which exports `FORMAT`. Formats import neither store nor web parts.

A format with a metadataPrefix is written for every item, an optional one only if the setting `formats_made` names it.
A format without a prefix is only read, by its namespace. `not_works.toml` lists the payloads that describe no work:
people, organizations, configurations.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from gateway.core.errors import ConfigurationError, NotAWork
from gateway.core.model import Work
from gateway.core.registry import members
from gateway.core.words import table
from gateway.core.xmlio import Element, name_of

_NOT_WORKS = tuple((entry["namespace"], frozenset(entry["names"])) for entry in table(__file__, "not_works")["root"])


@dataclass(frozen=True, slots=True)
class MetadataFormat:
    """One format. `rank` says how rich it is: the Work of an item is read from the payload with the highest rank.

    `read(element, content)` takes the root of a payload and its bytes, which stand alone. It returns a Work, or None if
    the payload is not of this format. `glance(content)` reads a plain payload without a tree, with the same result as
    `read`, or returns None and leaves it to `read`. `write(work)` returns a fragment that stands alone, in UTF-8.
    `read_by(element, content, fields)` replaces `read` if the entry of a source can name the fields of its payloads.
    `version` is raised when the same Work is written differently. `schemas` are the folders of XSDs whose addresses do
    not contain the namespace.
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
    is_optional: bool = False  # made only if the setting `formats_made` names it
    roots: tuple[str, ...] = ()  # local names of roots that are read in any other namespace, or in none

    @property
    def namespace(self) -> str:
        """The metadataNamespace; empty for the fallback, which reads every other namespace."""
        return self.namespaces[0] if self.namespaces else ""

    @property
    def key(self) -> tuple[str, ...]:
        """The key that must be unique: the prefix, else the namespaces, else that it is the fallback."""
        return (self.metadata_prefix,) if self.metadata_prefix else self.namespaces or ("any other namespace",)


@cache
def load() -> tuple[MetadataFormat, ...]:
    """Return all formats, the richest first. Raise ConfigurationError for a file without FORMAT, or a double key."""
    members_ = members(sys.modules[__name__], "FORMAT", MetadataFormat, lambda format_: format_.key)
    return tuple(sorted(members_, key=lambda format_: -format_.rank))


@cache
def written() -> Mapping[str, MetadataFormat]:
    """Return the formats that can be written for every item, by prefix, `oai_dc` first: others may contain it."""
    ours = {format_.metadata_prefix: format_ for format_ in load() if format_.metadata_prefix}
    return dict(sorted(ours.items(), key=lambda pair: pair[0] != "oai_dc"))


def named(prefixes: str) -> tuple[str, ...]:
    """Return the optional formats in the value of the setting `formats_made`, sorted.

    Raise ConfigurationError for any other word.
    """
    wanted = sorted(set(prefixes.split()))
    optional = [prefix for prefix, format_ in written().items() if format_.is_optional]
    if unknown := [prefix for prefix in wanted if prefix not in optional]:
        raise ConfigurationError(
            f"The setting formats_made names {', '.join(unknown)}. Choose among: {', '.join(sorted(optional))}."
        )
    return tuple(wanted)


@cache
def glancing() -> tuple[MetadataFormat, ...]:
    """Return the formats that can read plain payloads without a tree."""
    return tuple(format_ for format_ in load() if format_.glance)


def readers_by_root(local: str) -> tuple[MetadataFormat, ...]:
    """Return the formats that read a root with this local name in a namespace that is not theirs."""
    return tuple(format_ for format_ in load() if local in format_.roots)


@cache
def reader_of(namespace: str) -> MetadataFormat:
    """Return the format that reads a namespace; the fallback if there is none."""
    return next((format_ for format_ in load() if namespace in format_.namespaces), load()[-1])


def stated_namespace(profiles: Iterable[str]) -> str:
    """Return the namespace of the first profile that names a format that we read; else an empty string.

    A profile is the address of a namespace, of all its versions (`http://www.loc.gov/mods/`), of something below it, or
    of a schema.
    """
    return next(filter(None, map(_meant, profiles)), "")


def _meant(profile: str) -> str:
    bare = _bare(profile)
    close = [(format_, name) for format_ in load() for name in format_.namespaces if _is_close(bare, _bare(name))]
    exact = [name for _, name in close if _bare(name) == bare]
    by_schema = [format_ for format_ in load() if any(bare.startswith(_bare(schema)) for schema in format_.schemas)]
    close = close or [(format_, format_.namespace) for format_ in by_schema]
    is_plain = len({format_.key for format_, _ in close}) == 1  # a profile of two formats counts as unknown
    return next(iter(exact), max((name for _, name in close), key=len) if is_plain else "")


def _is_close(one: str, other: str) -> bool:
    return one == other or one.startswith((f"{other}/", f"{other}.")) or other.startswith(f"{one}/")


def _bare(address: str) -> str:
    return address.rstrip("/#").replace("https://", "http://", 1)


def refuse_other_things(root: Element) -> None:
    """Raise NotAWork if the root of a payload is in the closed list (`not_works.toml`)."""
    namespace, local = name_of(root)
    for beginning, names in _NOT_WORKS:
        is_there = namespace.startswith(beginning) if beginning else not namespace
        if is_there and (local in names or "*" in names):
            raise NotAWork(f"something else ({local})" if "*" in names or not beginning else f"a {local} (CERIF)")
