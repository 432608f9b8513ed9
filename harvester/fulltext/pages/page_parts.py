"""The parts of a page that do not belong to its work: footers, sidebars, menus, choices, other works. Pure."""

from __future__ import annotations

import re

from gateway.xmlio import Element
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.page_tree import attribute

_ASIDE = ("footer", "figure", "aside", "nav", "select", "datalist")
_SIDE = re.compile(
    r"(?i)(?<![a-z])(?:side-?bar|(?:page|site)-?(?:foot(?:er)?|info)|foot(?:er)?|colophon|widget)(?![a-z])"
)
_LONGEST = 1000  # characters of names that are matched
_ROLES = frozenset(("contentinfo", "complementary", "navigation"))


def is_aside(tag: Element) -> bool:
    """Return whether an element is a part of the page that does not belong to the work, or in one."""
    return any(
        element.tag in _ASIDE or attribute(element, "role") in _ROLES or _is_named_so(element)
        for element in (tag, *tag.iterancestors())
        if element.tag not in ("body", "html")
    )


def _is_named_so(element: Element) -> bool:
    names = f"{attribute(element, 'id')[:_LONGEST]} {attribute(element, 'class')[:_LONGEST]}"
    return bool(_SIDE.search(names) or rules.ELSEWHERE.search(names))
