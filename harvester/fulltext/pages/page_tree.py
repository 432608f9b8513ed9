"""A page as a tree: search for elements by name or selector, and their text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import takewhile
from typing import cast

from bs4.dammit import EncodingDetector
from lxml import etree

from gateway.core.xmlio import Element, page_parser
from harvester.fulltext.pages import landing_rules as rules

_UNREAD = frozenset(("script", "style", "template", "rt", "rp"))  # what is written in them is no text of the page
_TEXTS = etree.XPath(
    f"descendant::text()[not({' or '.join(f'ancestor::{name}' for name in sorted(_UNREAD))})]", smart_strings=False
)
_SPACES = " \n\t\f\r"


class PageTree:
    """The tree of a page. Elements are returned in their order on the page."""

    def __init__(self, body: bytes, encoding: str | None) -> None:
        """Read a page; without an encoding, in the one that it declares or that its bytes suggest."""
        self._roots = _roots(body, encoding)

    def elements(self, *names: str) -> list[Element]:
        """Return the elements with one of these names."""
        return [tag for root in self._roots for tag in root.iter(*names)]

    def selected(self, selector: str) -> list[Element]:
        """Return the elements that match a selector (`selectors`)."""
        return cast("list[Element]", compiled(selector)(self._roots[0])) if self._roots else []

    def hinting(self, hints: Iterable[str]) -> Iterator[tuple[Element, str]]:
        """Yield the texts with one of these words in lower case, and the elements around them."""
        placed = list(self._placed())
        whole = "\n".join(text for _, text in placed).lower()  # without scripts, which are most of many pages
        words_ = [hint for hint in hints if hint in whole]
        if words_:
            yield from ((element, text) for element, text in placed if _has(text, words_))

    def _placed(self) -> Iterator[tuple[Element, str]]:
        """Yield the texts that are not only spaces, and the elements around them. Comments may stand between texts."""
        for node in (node for root in self._roots for node in root.iter()):
            text, tail = node.text if isinstance(node.tag, str) else "", node.tail
            if text and node.tag not in _UNREAD and not text.isspace():
                yield node, text
            if tail and not tail.isspace() and (parent := node.getparent()) is not None:
                yield parent, tail


def _has(text: str, words_: Iterable[str]) -> bool:
    """Return whether a text has one of these words in lower case."""
    lower = text.lower()
    for word in words_:  # noqa: SIM110 - a generator takes twice as long, and a page has thousands of texts
        if word in lower:
            return True
    return False


def _roots(body: bytes, encoding: str | None) -> list[Element]:
    """Return the outermost elements: one, and one more for content after the end of the page."""
    detector = EncodingDetector(body, known_definite_encodings=[encoding] if encoding else [], is_html=True)
    parser = next(filter(None, map(page_parser, detector.encodings)))  # at last as windows-1252, which reads anything
    root: Element | None = None
    with suppress(etree.XMLSyntaxError):  # which some releases of libxml2 raise for a page that is empty
        root = etree.fromstring(detector.markup, parser)
    return [] if root is None else [root, *root.itersiblings("*")]


def attribute(tag: Element, name: str) -> str:
    """Return an attribute of an element as a text; empty when it has none."""
    return tag.get(name, "")


def attributes(tag: Element) -> dict[str, str]:
    """Return all attributes of an element; names with control characters, which HTML may have, cannot be asked for."""
    return {str(name): str(value) for name, value in tag.attrib.items()}


def texts(tag: Element) -> list[str]:
    """Return the texts in an element, one by one; of a script, the script."""
    if tag.tag in _UNREAD:
        return [tag.text or ""]
    return [text if text.strip(_SPACES) else " " for text in cast("list[str]", _TEXTS(tag))]


def words(tag: Element) -> str:
    """Return the text of an element, with a space between any two texts."""
    return " ".join(filter(None, map(str.strip, texts(tag))))


def held_by(tag: Element) -> Iterator[Element | str]:
    """Return the elements and texts in an element, at any depth, in their order."""
    unread = 0
    for event, element in etree.iterwalk(tag, events=("start", "end", "comment", "pi")):
        if event == "start":
            if element is not tag:
                yield element
            unread += element.tag in _UNREAD
            text = element.text
        else:
            unread -= event == "end" and element.tag in _UNREAD
            text = None if element is tag else element.tail
        if text and not unread:
            yield text


def around(tag: Element, *names: str) -> Element | None:
    """Return the closest outer element with one of these names."""
    return next(tag.iterancestors(*names), None)


def is_licensing(tag: Element) -> bool:
    """Return whether an element leads to a licence: one of the words of its `rel` is `license`, or arXiv's class."""
    return "license" in attribute(tag, "rel").split() or "has_license" in attribute(tag, "class").split()


# --- The parts of a page that do not belong to its work: footers, sidebars, menus, choices, other works. Pure --------

_ASIDE = ("footer", "figure", "aside", "nav", "select", "datalist")
_SIDE = re.compile(
    r"(?i)(?<![a-z])(?:side-?bar|(?:page|site)-?(?:foot(?:er)?|info)|foot(?:er)?|colophon|widget)(?![a-z])"
)
_LONGEST = 1000  # characters of names that are matched
_ROLES = frozenset(("contentinfo", "complementary", "navigation"))


def is_aside(tag: Element) -> bool:
    """Return whether an element is a part of the page that does not belong to the work, or in one.

    What is around `main` does not count: on arXiv it is `flex-wrap-footer`.
    """
    return any(
        element.tag in _ASIDE or attribute(element, "role") in _ROLES or _is_named_so(element)
        for element in takewhile(lambda outer: outer.tag not in ("main", "body", "html"), (tag, *tag.iterancestors()))
    )


def _is_named_so(element: Element) -> bool:
    names = f"{attribute(element, 'id')[:_LONGEST]} {attribute(element, 'class')[:_LONGEST]}"
    return bool(_SIDE.search(names) or rules.ELSEWHERE.search(names))


# --- Selectors of CSS as XPath, as many of them as the table of platforms (`landing_rules`) needs. Pure --------------

_STEP = re.compile(r"(?>(?:[^ \[]++|\[[^\[\]]*+\])+)")  # spaces between brackets end none
_NAME = re.compile(r"[a-z][\w-]*")
_TEST = re.compile(
    r"\.(?P<word>[\w-]+)|#(?P<id>[\w-]+)|\[(?P<name>[\w-]+)(?:(?P<sign>[*^]?=)'(?P<value>[^']*)'( i)?)?\]"
)
_LETTERS = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'"
_ANY_CASE = ("type",)  # attributes of which HTML compares values so
_SIGNS = {"=": "{0} = {1}", "*=": "contains({0}, {1})", "^=": "starts-with({0}, {1})"}


@cache
def compiled(selector: str) -> etree.XPath:
    """Return a function that finds the elements of a CSS selector, in their order."""
    return etree.XPath(" | ".join(map(_path, selector.split(", "))))


def _path(selector: str) -> str:
    return "".join(f"//{_step(step)}" for step in _STEP.findall(selector))


def _step(selector: str) -> str:
    name = _NAME.match(selector)
    return f"{name[0] if name else '*'}{''.join(f'[{_test(match)}]' for match in _TEST.finditer(selector))}"


def _test(match: re.Match[str]) -> str:
    if match["word"]:
        return f"contains(concat(' ', normalize-space(@class), ' '), ' {match['word']} ')"
    if match["id"]:
        return f"@id = '{match['id']}'"
    place, value = f"@{match['name']}", match["value"]
    if value is None:
        return place
    if match[match.re.groups] or match["name"] in _ANY_CASE:
        place, value = f"translate({place}, {_LETTERS})", value.lower()
    return _SIGNS[match["sign"]].format(place, f"'{value}'")
