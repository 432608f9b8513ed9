"""What kind of document a work is, as a label of COAR Resource Types 3.1, from the words of a record. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from gateway.core.words import table

_TABLE = table(__file__, "types")
_BASE = "http://purl.org/coar/resource_type/"
_NO_LETTER = re.compile(r"[^a-z0-9]")
_TAIL = re.compile(r"[^/#:]*$")
_LONGEST = 200
OTHER = ""  # the type is not known, which is no type of its own


def _spelled(text: str) -> str:
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.replace("ł", "l").replace("ø", "o"))
    return _NO_LETTER.sub("", text)


_LABELS = {
    word: label
    for label, entry in _TABLE.items()
    for word in (_spelled(label), _spelled(entry["code"]), *entry["words"])
}


def type_of(words: Iterable[str]) -> str:
    """Return the label of the type that the first known of these words means; empty if none is known.

    A known word is one of the table, or of info:eu-repo, DCMI, or COAR, also as an address. A type that is narrower
    than the first one is better: `thesis`, `doctoralThesis` is a doctoral thesis.
    """
    known = [label for label in map(_label, words) if label]
    if not known:
        return OTHER
    return next((label for label in known[1:] if (known[0], label) in _NARROWER), known[0])


_NARROWER = frozenset((
    *(("thesis", label) for label in ("doctoral thesis", "master thesis", "bachelor thesis")),
    ("report", "technical report"),
    *(("conference object", label) for label in ("conference paper", "conference poster", "conference presentation")),
    *(("image", label) for label in ("still image", "map", "musical notation")),
    ("still image", "map"),
    ("journal article", "preprint"),
))  # fmt: skip


@lru_cache(maxsize=4096)
def _label(text: str) -> str:
    if len(text) > _LONGEST:
        return ""
    match = _TAIL.search(text.rstrip("/"))
    for part in (text, match[0] if match else ""):
        word = _spelled(part)
        if label := _LABELS.get(word) or _LABELS.get(word.removesuffix("s")) or "":
            return str(_TABLE[label].get("broader", label))
    return ""


def address_of(label: str) -> str:
    """Return the address of a type at COAR, or an empty string."""
    return f"{_BASE}{_TABLE[label]['code']}" if label in _TABLE else ""
