"""Replacement of entities that a document declares itself, within limits (XML 1.0 §4.4). Pure.

The parser resolves no entities, because they could grow without end or read files. So they are replaced before it reads
the text. References beyond the limits, or to external entities, stay as text, and a note says so.
"""

import re
from collections import Counter
from typing import NamedTuple

from gateway.core.xmltext import is_legal


def _beginning_unlike(word: str) -> str:
    """Return an expression for the first character of a text that begins like `word` but continues differently."""
    first, *letters = map(re.escape, word)
    before = ("".join((first, *letters[:place])) for place in range(len(letters)))
    return "|".join(f"(?={start}[^{letter}]){first}" for start, letter in zip(before, letters, strict=True))


_COMMENT_TEXT = rf"(?>(?:[^<-]++|{_beginning_unlike('-->')}|{_beginning_unlike('<!--')})*)"
CDATA_TEXT = rf"(?>(?:[^<\]]++|{_beginning_unlike(']]>')}|{_beginning_unlike('<![CDATA[')})*)"
COMMENT = rf"<!--{_COMMENT_TEXT}-->"
CDATA = rf"<!\[CDATA\[{CDATA_TEXT}\]\]>"


_NAME = r"[A-Za-z_:\u00c0-\uffdf][\w.:-]{0,60}+"
_VALUE = r"\"(?P<double>[^\"]{0,10000}+)\"|'(?P<single>[^']{0,10000}+)'|(?P<external>(?:SYSTEM|PUBLIC)\s)"
_DECLARED = re.compile(rf"{COMMENT}|{CDATA}|<!ENTITY\s++(?P<name>{_NAME})\s++(?:{_VALUE})")
_PASSED = rf"{COMMENT}|{CDATA}|<!ENTITY\s++{_NAME}\s++(?:\"[^\"]{{0,10000}}+\"|'[^']{{0,10000}}+')"
_REFERRED = re.compile(rf"{_PASSED}|&(?P<name>{_NAME});")
_NUMBER = re.compile(r"&#(?:x(?P<hexadecimal>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_MOST_IN_ONE = 10_000  # characters in the replacement of one entity
_MOST_IN_ALL = 1_000_000  # characters in all replacements of a document
_DEEPEST = 10  # levels of entities in entities
_MOST_DECLARED = 1_000


class Resolved(NamedTuple):
    """A text with its references resolved, notes on the repair, and losses: references that could not be resolved."""

    text: str
    notes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()


def resolved(text: str) -> Resolved:
    """Return a text with its own entities replaced; the five entities of XML stay (XML 1.0 §4.6)."""
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
    """Return the replacement of each entity, None for an external one; the first declaration counts (§4.2)."""
    declared: dict[str, str | None] = {}
    for match in _DECLARED.finditer(text):
        if match["name"] and match["name"] not in _OF_XML and len(declared) < _MOST_DECLARED:
            value = match["double"] or match["single"] or ""
            declared.setdefault(match["name"], None if match["external"] else _NUMBER.sub(_character, value))
    return declared


def _character(match: re.Match[str]) -> str:
    number = int(match["hexadecimal"], 16) if match["hexadecimal"] else int(match["decimal"])
    return chr(number) if number <= 0x10FFFF and is_legal(chr(number)) else match[0]  # noqa: PLR2004 - Unicode's last


class _Lost(Exception):
    """An entity that cannot be resolved; the text says why."""


class _Replacing:
    """Replaces references within the limits, and counts them."""

    def __init__(self, declared: dict[str, str | None]) -> None:
        self._declared = declared
        self._known: dict[str, str | _Lost] = {}
        self._room = _MOST_IN_ALL
        self.done = 0
        self.left: Counter[tuple[str, str]] = Counter()

    def replaced(self, match: re.Match[str]) -> str:
        """Return the replacement of a match: of a reference to a declared entity; any other text stays."""
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
        """Return a value that fits into the limit of the document. Raise _Lost otherwise."""
        if len(value) > self._room:
            raise _Lost(f"all together stand for more than {_MOST_IN_ALL} characters")
        self._room -= len(value)
        return value

    def _value(self, name: str, depth: int) -> str:
        """Return the full replacement of an entity. Raise _Lost when it cannot be resolved."""
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
            raise _Lost("it is an external entity")
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
