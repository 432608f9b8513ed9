"""Repair of text that is nearly XML, before recovery: each kind of damage is counted and noted. Pure.

The kinds of damage are those of real answers. They are control characters and references to them, HTML's entities, bare
ampersands, XML declarations inside records, and notices of PHP around the document.

Entities that a document declares itself are replaced first, within limits (XML 1.0 §4.4): the parser resolves none,
because they could grow without end or read files. References beyond the limits, or to external entities, stay as text,
and a note says so.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from html.entities import html5
from typing import NamedTuple

from gateway.core.xmltext import clean, escape, is_legal


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


# --- Text that is nearly XML ------------------------------------------------------------------------------------------

# One pass over all markup. Comments and CDATA are matched so that their content stays unchanged. One without an end
# reaches the end of the text, and the parser refuses it. Lengths are bounded so that no text takes quadratic time.
_MARKUP = re.compile(
    r"""
    (?P<comment><!--.*?(?:-->|\Z))
  | (?P<cdata><!\[CDATA\[.*?(?:\]\]>|\Z))
  | (?P<instruction><\?[A-Za-z_][^?]{0,4000}+(?>(?:(?=\?[^>])\?[^?]{0,4000}+){0,20})\?>)
  | (?P<doctype><!DOCTYPE[^\[\]<>]{0,500}+(?:\[[^\]]{0,500}+\]\s{0,9}+)?>)
  | (?P<references>(?:&\#(?:x[0-9a-fA-F]+|[0-9]+);)+)
  | (?P<entity>&[A-Za-z][A-Za-z0-9]{0,40};)
  | (?P<ampersand>&)
  | (?P<less><(?!/?[A-Za-z_:\u00c0-\U0010ffff]))
  | (?P<close>\]\]>)
    """,
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = r"\s+[^\s=/>\"'<]++\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')"
_TAG = re.compile(rf"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[^\s<>!?/=\"']++(?:{_ATTRIBUTE}){{2,}}", re.DOTALL)
_NAMED = re.compile(r"(?<!\s)\s++([^\s=/>\"'<]++)\s*+=\s*+(?:\"[^\"<]*\"|'[^'<]*')")
_REFERENCE = re.compile(r"&#(x|(?=[0-9]+;))([0-9a-fA-F]+);")
_ILLEGAL_SPACE = str.maketrans({"\x0b": " ", "\x0c": " "})
_XML_ENTITIES = frozenset(("&amp;", "&lt;", "&gt;", "&quot;", "&apos;"))
_LONGEST_NUMBER = 7  # digits of 0x10FFFF in decimal

# The note for each kind of damage.
_SENTENCES = {
    "control": "Characters that XML forbids were removed: {}.",
    "illegal": "References to characters that XML forbids were removed: {}.",
    "surrogates": "Pairs of references to surrogates were replaced by their character: {}.",
    "entity": "Entities of HTML were replaced by their characters: {}.",
    "ampersand": "Bare ampersands were escaped: {}.",
    "less": "Bare less-than signs were escaped: {}.",
    "close": "Ends of CDATA outside CDATA were escaped: {}.",
    "instruction": "XML declarations inside the document were removed: {}.",
    "doctype": "Document type declarations were removed: {}.",
    "attribute": "Repeated attributes of an element were removed: {}.",
    "comment": "Comments with two hyphens inside were repaired: {}.",
}


def cleaned(text: str) -> tuple[str, tuple[str, ...]]:
    """Return `text` with all repairs that do not depend on its structure, and a note per kind of damage.

    The result has only characters of XML 1.0 §2.2. It takes linear time.
    """
    counts: Counter[str] = Counter()
    legal = clean(text.translate(_ILLEGAL_SPACE))
    spaces = text.count("\x0b") + text.count("\x0c")
    counts["control"] = len(text) - len(legal) + spaces
    result = _MARKUP.sub(lambda match: _mended(match, counts), legal)
    result = _TAG.sub(lambda match: _without_repetition(match, counts), result)
    return result, tuple(_SENTENCES[kind].format(count) for kind, count in counts.items() if count)


def legal_references(text: str) -> str:
    """Return a text with U+FFFD for every reference to a character that XML forbids (XML 1.0 §2.2), also in CDATA."""

    def legal(match: re.Match[str]) -> str:
        number = _number(match)
        return match[0] if number >= 0 and is_legal(chr(number)) else "\ufffd"

    return _REFERENCE.sub(legal, text)


def _mended(match: re.Match[str], counts: Counter[str]) -> str:
    kind = match.lastgroup or ""
    tag = match[0]
    replaced = _MENDERS[kind](tag, counts)
    if replaced != tag and kind != "references":
        counts[kind] += 1
    return replaced


def _without_repetition(match: re.Match[str], counts: Counter[str]) -> str:
    """Return a start tag with only the first of each repeated attribute."""
    names = _NAMED.findall(match[0])
    if match[0].startswith("<!") or len(names) == len(set(names)):
        return match[0]
    counts["attribute"] += len(names) - len(set(names))
    first: dict[str, int] = {}
    return _NAMED.sub(
        lambda match: match[0] if first.setdefault(match[1], match.start()) == match.start() else "", match[0]
    )


def _comment(text: str, _: Counter[str]) -> str:
    inside = text[4:].removesuffix("-->")
    if "--" not in inside and not inside.endswith("-"):
        return text
    return text if not text.endswith("-->") else "<!--" + inside.replace("-", "=") + "-->"


def _references(text: str, counts: Counter[str]) -> str:
    parts = [(match[0], _number(match)) for match in _REFERENCE.finditer(text)]
    kept: list[str] = []
    position = 0
    while position < len(parts):
        reference, number = parts[position]
        following = parts[position + 1][1] if position + 1 < len(parts) else 0
        if 0xD800 <= number < 0xDC00 <= following < 0xE000:  # noqa: PLR2004 - the surrogates of Unicode
            kept.append(chr(0x10000 + ((number - 0xD800) << 10) + (following - 0xDC00)))
            counts["surrogates"] += 1
            position += 2
            continue
        legal = number >= 0 and is_legal(chr(number))
        counts["illegal"] += not legal
        kept.append(reference if legal else " " if number in (0x0B, 0x0C) else "")
        position += 1
    return "".join(kept)


def _number(match: re.Match[str]) -> int:
    """Return the code point of a reference, or -1 when there is no such character."""
    digits = match[2].lstrip("0")
    if len(digits) > _LONGEST_NUMBER:
        return -1
    number = int(digits or "0", 16 if match[1] else 10)
    return number if number <= 0x10FFFF else -1  # noqa: PLR2004 - the last character of Unicode


def _entity(text: str, counts: Counter[str]) -> str:
    if text in _XML_ENTITIES:
        return text
    characters = html5.get(text[1:])
    if characters is None:
        counts["ampersand"] += 1
        counts["entity"] -= 1  # the caller counts it under its own kind
        return "&amp;" + text[1:]
    return escape(characters)


_MENDERS: Mapping[str, Callable[[str, Counter[str]], str]] = {
    "comment": _comment,
    "cdata": lambda text, _: text,
    "instruction": lambda text, _: "" if re.match(r"<\?xml\s", text, re.IGNORECASE) else text,
    "doctype": lambda _text, _: "",
    "references": _references,
    "entity": _entity,
    "ampersand": lambda _text, _: "&amp;",
    "less": lambda _text, _: "&lt;",
    "close": lambda _text, _: "]]&gt;",
}
