"""Entities that a document declares itself, replaced by what they stand for, within limits. Pure.

The parser resolves none (they could grow without end, and read files), so they are replaced before it reads the text
(XML 1.0 §4.4). What is beyond the limits, or lies elsewhere, stays as text, and a sentence says so.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from gateway.xmltext import is_legal
from harvester.wire.sections import CDATA, COMMENT

_NAME = r"[A-Za-z_:\u00c0-\uffdf][\w.:-]{0,60}+"
_VALUE = r"\"(?P<double>[^\"]{0,10000}+)\"|'(?P<single>[^']{0,10000}+)'|(?P<external>(?:SYSTEM|PUBLIC)\s)"
_DECLARED = re.compile(rf"{COMMENT}|{CDATA}|<!ENTITY\s++(?P<name>{_NAME})\s++(?:{_VALUE})")
_PASSED = rf"{COMMENT}|{CDATA}|<!ENTITY\s++{_NAME}\s++(?:\"[^\"]{{0,10000}}+\"|'[^']{{0,10000}}+')"
_REFERRED = re.compile(rf"{_PASSED}|&(?P<name>{_NAME});")
_NUMBER = re.compile(r"&#(?:x(?P<hexadecimal>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_MOST_IN_ONE = 10_000  # characters that one entity stands for, with those in it
_MOST_IN_ALL = 1_000_000  # characters that all references of a document bring
_DEEPEST = 10  # entities in entities
_MOST_DECLARED = 1_000


class Resolved(NamedTuple):
    """A text without the references that could be resolved, what was done, and what could not be."""

    text: str
    notes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()


def resolved(text: str) -> Resolved:
    """Replace the references to entities that the text declares by what they stand for; those of XML stay."""
    if "<!ENTITY" not in text:
        return Resolved(text)
    replacing = _Replacing(_declared(text))
    made = _REFERRED.sub(replacing.replaced, text)
    notes = (f"Entities that the document declares were replaced: {replacing.done}.",) if replacing.done else ()
    losses = (
        f"References to the entity {name!r} are left as they are, because {why}: {count}."
        for (name, why), count in replacing.left.items()
    )
    return Resolved(made, notes, tuple(losses))


def _declared(text: str) -> dict[str, str | None]:
    """Return what each entity stands for, None for one that lies elsewhere; the first declaration counts (§4.2)."""
    found: dict[str, str | None] = {}
    for match in _DECLARED.finditer(text):
        if match["name"] and match["name"] not in _OF_XML and len(found) < _MOST_DECLARED:
            value = match["double"] or match["single"] or ""
            found.setdefault(match["name"], None if match["external"] else _NUMBER.sub(_character, value))
    return found


def _character(match: re.Match[str]) -> str:
    number = int(match["hexadecimal"], 16) if match["hexadecimal"] else int(match["decimal"])
    return chr(number) if number <= 0x10FFFF and is_legal(chr(number)) else match[0]  # noqa: PLR2004 - Unicode's last


class _Lost(Exception):
    """An entity that cannot be resolved; its text says why."""


class _Replacing:
    """Replaces references, and counts them."""

    def __init__(self, declared: dict[str, str | None]) -> None:
        self._declared = declared
        self._known: dict[str, str | _Lost] = {}
        self._room = _MOST_IN_ALL
        self.done = 0
        self.left: Counter[tuple[str, str]] = Counter()

    def replaced(self, match: re.Match[str]) -> str:
        """Return what stands for a match: a reference to a declared entity is replaced, all else stays."""
        name = match["name"]
        if not name or name not in self._declared:
            return match[0]
        try:
            value = self._fitting(self._value(name, 0))
        except _Lost as lost:
            self.left[name, str(lost)] += 1
            return match[0]
        self.done += 1
        return value

    def _fitting(self, value: str) -> str:
        """Return a value that the document still has room for. Raise _Lost where it has none."""
        if len(value) > self._room:
            raise _Lost(f"all together stand for more than {_MOST_IN_ALL} characters")
        self._room -= len(value)
        return value

    def _value(self, name: str, depth: int) -> str:
        """Return what an entity stands for, those in it replaced. Raise _Lost when it cannot be told."""
        if name not in self._known:
            try:
                self._known[name] = self._made(name, depth)
            except _Lost as lost:
                self._known[name] = lost
        known = self._known[name]
        if isinstance(known, _Lost):
            raise known
        return known

    def _made(self, name: str, depth: int) -> str:
        value = self._declared[name]
        if value is None:
            raise _Lost("it lies outside of the document")
        if depth == _DEEPEST:
            raise _Lost(f"it is nested more than {_DEEPEST} deep, or in itself")
        parts, place = [], 0
        length = len(value)
        for match in _REFERRED.finditer(value):
            if match["name"] not in self._declared:
                continue
            inner = self._value(match["name"], depth + 1)
            parts += [value[place : match.start()], inner]
            place = match.end()
            length += len(inner)
            if length > _MOST_IN_ONE:
                raise _Lost(f"it stands for more than {_MOST_IN_ONE} characters")
        return "".join((*parts, value[place:]))
