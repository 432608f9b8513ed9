"""Repair of text that is nearly XML, before recovery: each kind of damage is counted and noted. Pure.

The kinds of damage are those of real answers. They are control characters and references to them, HTML's entities, bare
ampersands, XML declarations inside records, and notices of PHP around the document.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from html.entities import html5

from gateway.core.xmltext import clean, escape, is_legal

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
    return _REFERENCE.sub(lambda match: match[0] if _is_reference_legal(match) else "\ufffd", text)


def _is_reference_legal(match: re.Match[str]) -> bool:
    number = _number(match)
    return number >= 0 and is_legal(chr(number))


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


def _instruction(text: str, _: Counter[str]) -> str:
    return "" if re.match(r"<\?xml\s", text, re.IGNORECASE) else text


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
    "instruction": _instruction,
    "doctype": lambda _text, _: "",
    "references": _references,
    "entity": _entity,
    "ampersand": lambda _text, _: "&amp;",
    "less": lambda _text, _: "&lt;",
    "close": lambda _text, _: "]]&gt;",
}
