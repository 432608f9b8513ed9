"""The parts of a page that do not belong to its work: footers, sidebars, menus, lists of other works. Pure."""

from __future__ import annotations

import re

from gateway.xmlio import Element
from harvester.fulltext.pages.landing_anchors import is_elsewhere
from harvester.fulltext.pages.page_tree import around, attribute

_ASIDE = ("footer", "figure", "aside", "nav")
_SIDE = re.compile(
    r"(?i)(?<![a-z])(?:side-?bar|(?:page|site)-?(?:foot(?:er)?|info)|foot(?:er)?|colophon|widget)(?![a-z])"
)
_LONGEST = 1000  # characters of names that are matched
_ROLES = frozenset(("contentinfo", "complementary", "navigation"))


def is_aside(tag: Element) -> bool:
    """Return whether an element is in a part of the page that does not belong to the work."""
    if around(tag, *_ASIDE) is not None or is_elsewhere(tag):
        return True
    return any(
        attribute(element, "role") in _ROLES
        or _SIDE.search(f"{attribute(element, 'id')[:_LONGEST]} {attribute(element, 'class')[:_LONGEST]}")
        for element in tag.iterancestors()
        if element.tag not in ("body", "html")
    )
