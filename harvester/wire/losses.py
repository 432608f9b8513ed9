"""What recovery has cost: every element, attribute and character that came in is looked for in what came out."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import NamedTuple

from harvester.wire.sections import CDATA_TEXT, COMMENT

# Every quantifier is possessive: what it takes it keeps, so that no text costs more than its length.
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
    """What a piece of markup says, by its words alone: it may be no XML."""

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
            if not name.startswith("xmlns"):  # recovery brings along the declarations from around
                attributes[name, _squeezed(html.unescape(value[1:-1]))] += 1
    return _Content(elements, attributes, _squeezed("".join(text) + html.unescape(markup[end:])))


def missing(before: str, after: str) -> str:
    """Return in words what of some markup is not found again in what was recovered of it; empty: all of it is there."""
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
