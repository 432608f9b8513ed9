"""Losses of recovery: every element, attribute and character of the input is searched for in the output. Pure."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import NamedTuple

from harvester.xml.sections import CDATA_TEXT, COMMENT

# Every quantifier is possessive, so that no text takes more than linear time.
_MARKUP = re.compile(
    rf"""
    {COMMENT}
  | <!\[CDATA\[(?P<cdata>{CDATA_TEXT})\]\]>
  | <\?[^<>]*+>
  | </[^<>]*+>
  | <(?P<element>[^\s<>/!?]++)(?P<attributes>[^<>]*+)>
    """,
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<=\s)([^\s=<>"'/]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")


class _Content(NamedTuple):
    """The names, attributes and text of a piece of markup, which may not be XML."""

    elements: Counter[str]
    attributes: Counter[tuple[str, str]]
    text: str


def _content(markup: str) -> _Content:
    elements: Counter[str] = Counter()
    attributes: Counter[tuple[str, str]] = Counter()
    text: list[str] = []
    end = 0
    for match in _MARKUP.finditer(markup):
        inside = match["attributes"] or ""
        text += (
            html.unescape(markup[end : match.start()]),
            match["cdata"] or "",
            _ATTRIBUTE.sub("", inside).strip("/ "),
        )
        end = match.end()
        elements.update(filter(None, (match["element"],)))
        for name, value in _ATTRIBUTE.findall(inside):
            if not name.startswith("xmlns"):  # recovery copies declarations from outer elements
                attributes[name, _squeezed(html.unescape(value[1:-1]))] += 1
    return _Content(elements, attributes, _squeezed("".join(text) + html.unescape(markup[end:])))


def missing(before: str, after: str) -> str:
    """Return a clause about the content of `before` that `after` lacks; empty when nothing is missing."""
    was, now = _content(before), _content(after)
    counts = (
        ("elements", (was.elements - now.elements).total(), was.elements.total()),
        ("attributes", (was.attributes - now.attributes).total(), was.attributes.total()),
        ("characters", (Counter(was.text) - Counter(now.text)).total(), len(was.text)),
    )
    lost = [f"{number} of {all_} {what}" for what, number, all_ in counts if number]
    if lost:
        return f"{' and '.join(lost)} were lost"
    return "" if was.text == now.text else "its text is no longer the same"


def _squeezed(text: str) -> str:
    return "".join(text.split())
