"""Which Cypher may be run: one statement that only reads the graph. Pure.

The first word must be one that begins a question. Outside of texts, no word may stand that changes something, reads or
writes files, or loads programs. The sandbox of the process that runs it does not rely on this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gateway.errors import ConfigurationError
from gateway.xmltext import is_legal

LONGEST = 20_000  # characters

_FIRST = frozenset(("match", "optional", "return", "unwind", "with", "call"))
_WRITES = "writes; the graph is only read. Change what it is derived from, and load it again"
_REACHES = "reads or writes files, or other databases; only the graph can be queried"
_LOADS = "loads or manages programs; none can be added"
_SETTLES = "changes how the database works; that cannot be changed"
_TABLE = (
    ("create merge set delete remove drop alter comment foreach", _WRITES),
    ("copy load attach detach use export import", _REACHES),
    ("install uninstall update extension", _LOADS),
    ("begin commit rollback checkpoint profile", _SETTLES),
)
_REFUSED = {word: reason for words, reason in _TABLE for word in words.split()}
_LISTS = re.compile(r"\s*+call\s++(?:show_tables|table_info)\s*+\(", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_CLOSED_BY = {"'": "'", '"': '"', "`": "`"}


def checked(text: str) -> str:
    """Return a query that only reads. Raise ConfigurationError for any other, with a sentence that says why."""
    if len(text) > LONGEST:
        raise ConfigurationError(f"The query has more than {LONGEST:,} characters.")
    if not is_legal(text):
        raise ConfigurationError("The query has control characters.")
    words = list(_words(text))
    if not words:
        raise ConfigurationError("The query is empty. Begin with MATCH.")
    first = words[0]
    if refused := next((word for word in _REFUSED if word in words), ""):
        raise ConfigurationError(f"{refused.upper()} is refused: it {_REFUSED[refused]}.")
    if ";" in words:
        raise ConfigurationError("Only one statement can be run at a time.")
    if first not in _FIRST:
        raise ConfigurationError(f"A query cannot begin with {first[:40]!r}. Begin with MATCH.")
    if "call" in words and not (_LISTS.match(text) and words.count("call") == 1):
        raise ConfigurationError("CALL is refused, except CALL show_tables() and CALL table_info('Publication').")
    return text


def _words(text: str) -> Iterator[str]:
    """Yield the words and semicolons outside of texts, names in backticks, comments, and names of properties."""
    place, text = 0, text.rstrip().removesuffix(";")
    while place < len(text):
        sign = text[place]
        if sign in _CLOSED_BY:
            place = _after_text(text, place)
        elif text.startswith("//", place):
            place = _after(text, "\n", place)
        elif text.startswith("/*", place):
            place = _after(text, "*/", place + 2)
        elif match := _WORD.match(text, place):
            if not text[:place].rstrip().endswith("."):
                yield match[0].lower()
            place = match.end()
        else:
            if sign == ";":
                yield sign
            place += 1


def _after(text: str, end: str, place: int) -> int:
    start = text.find(end, place)
    return len(text) if start < 0 else start + len(end)


def _after_text(text: str, place: int) -> int:
    """Return the place after a text or a name. Raise ConfigurationError if it has no end."""
    sign = text[place]
    place += 1
    while place < len(text) and text[place] != sign:
        place += 2 if text[place] == "\\" and sign != "`" else 1
    if place >= len(text):
        raise ConfigurationError("A text or a name in the query has no closing quotation mark.")
    return place + 1
