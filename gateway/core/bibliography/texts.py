"""Texts of records as plain text: without HTML, comments of word processors, and values that mean "unknown". Pure.

Titles and abstracts keep the markup that changes their meaning: `i b em strong sub sup`.
"""

import re
from collections.abc import Iterable
from html import unescape

from gateway.core.model import Title, TitleType
from gateway.core.words import table

# Controls, and characters that change the direction of what follows them: they could make a text look like another.
_UNSEEN = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_KEPT = frozenset(("i", "b", "em", "strong", "sub", "sup"))
_BREAKS = frozenset((
    "p", "br", "div", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "tr", "table", "tbody", "thead",
    "blockquote", "pre", "section", "article", "dl", "dt", "dd", "title", "sec", "list", "list-item",
))  # fmt: skip
_INLINE = frozenset((
    "a", "abbr", "acronym", "big", "cite", "code", "col", "colgroup", "font", "img", "inf", "ins", "del", "label",
    "q", "s", "small", "span", "strike", "td", "th", "tt", "u", "italic", "bold", "sc", "bdo", "bdi", "mark", "var",
    "center", "o", "meta", "link", "xref", "ext-link", "named-content", "monospace", "underline",
))  # fmt: skip
_SAME = {"italic": "i", "bold": "b", "inf": "sub"}  # JATS, and the DTD of Crossref
_STYLE = re.compile(r"<style\b[^<>]*>[^<]*</style\s*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(?:(?:jats|mml|o|w|v|st1):)?([a-zA-Z][a-zA-Z0-9-]{0,20})((?:\s[^<>]*)?/?)>")
# DataCite 4.6, Appendix 3: standard values for unknown information; and the words of catalogues for the same.
_UNKNOWN = re.compile(
    r"(?i)[(\[]?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|tbd|etal|at)\)?\]?(?:[\s;:,-].*)?", re.DOTALL
)
_LONGEST_NO_VALUE = 18  # characters of the longest word below
_NO_VALUES = frozenset(table(__file__, "texts")["no_values"])


def folded(text: str) -> str:
    """Return a text of a record without controls, with entities resolved once and white space folded."""
    text = unescape(text)
    if text.isprintable() and "  " not in text:  # so it has no other white space
        return text.strip(" ")
    return " ".join(_UNSEEN.sub("", text).split())


def is_value(text: str) -> bool:
    """Return whether a text says something, and not only that a value is unknown, in one of the usual ways."""
    if len(text) > _LONGEST_NO_VALUE and text[:1] not in ":([":
        return True
    return text.strip().casefold() not in _NO_VALUES and not (":" in text[:3] and _UNKNOWN.fullmatch(text.strip()))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text: HTML and JATS divide it by blocks, lines, and items of lists; lists get hyphens.

    Tags of `i b em strong sub sup` stay in it, all others go. Text that only looks like a tag stays.
    """
    if "<" not in text and "&" not in text:
        return [part] if (part := folded(text)) else []
    text = unescape(text)
    if "<" in text:
        if "<!" in text:
            text = _without(_without(text, "<!--", "-->"), "<![", "]>")
        text = _TAG.sub(_tag, _STYLE.sub(" ", text))
    return [part for entry in text.split("\x00") if (part := " ".join(_UNSEEN.sub("", entry).split())) not in ("", "-")]


def _without(text: str, start: str, end: str) -> str:
    """Return a text without what stands between two marks; in a time that grows with its length only."""
    kept, place = [], 0
    while (begin := text.find(start, place)) >= 0 and (stop := text.find(end, begin)) >= 0:
        kept.append(text[place:begin])
        place = stop + len(end)
    return "".join((*kept, text[place:]))


def _tag(match: re.Match[str]) -> str:
    name = match[2].lower()
    name = _SAME.get(name, name)
    if name in _KEPT:
        return f"<{match[1]}{name}>" if not match[3].strip("/ ") or name != "o" else ""
    if name in _BREAKS:
        return "\x00- " if name in ("li", "list-item") and not match[1] else "\x00"
    return "" if name in _INLINE else match[0]


def one_line(text: str) -> str:
    """Return a text such as a title in one line, as `paragraphs` cleans it; empty if it says that it is unknown."""
    line = " ".join(paragraphs(text)) if "<" in text or "&" in text else folded(text)
    return line if is_value(line) else ""


def title_of(titles: Iterable[Title], language: str = "") -> Title:
    """Return the title to show: the first main one in the language of the work, else the first main one, else any."""
    stated = list(titles)
    main = [title for title in stated if title.type is TitleType.MAIN] or stated
    same = [
        title for title in main if language and title.language.lower().partition("-")[0] == language.partition("-")[0]
    ]
    return next(iter(same or main), Title(""))
