"""Paths in a record, and the texts of what is there; one walk over a record finds what is at all paths of a table.

A path has local names, `a/b`, alternatives `a|b`, and `*`; a condition on an attribute, `[type=x|y]`, `!=`, or `~` and
`!~` for a part of it; and at its end the attribute that is read, `@href`. `.` is the record. Namespaces do not count.
"""

import re
from collections.abc import Iterator
from functools import cache
from operator import itemgetter

from gateway.core.xmlio import Element, name_of, text_of
from gateway.core.xmltext import XML

_INLINE = {"italic": "i", "i": "i", "em": "i", "bold": "b", "b": "b", "sub": "sub", "inf": "sub", "sup": "sup"}
_BLOCKS = frozenset(("p", "sec", "title", "list-item", "item", "li", "br", "break", "head", "lb", "ab"))
_NO_TEXT = frozenset(("xref", "fn", "fn-group", "tex-math", "email", "label"))
_HEADINGS = _NO_TEXT | {"title", "head", "num"}  # of a text as a whole
_LANGUAGE = f"{{{XML}}}lang"
_CONDITION = re.compile(r"\[([\w-]+)(!?)([=~])([^][]*)\]")


class Tree:
    """Paths below an element: those that end here, by their places, and the steps that begin here, by local names."""

    __slots__ = ("any_", "ends", "steps")

    def __init__(self) -> None:
        self.ends: list[tuple[int, str | None]] = []  # (place, the attribute that is read; None: nothing is)
        self.steps: dict[str, list[tuple[str, Tree]]] = {}  # each with its conditions
        self.any_: list[tuple[str, Tree]] = []

    def add(self, place: int, path: str, *, is_bare: bool = False) -> None:
        """Add a path; what is found at it is at this place in the result. `is_bare`: its text is not needed."""
        for one_ in path.split(" or "):
            self._add(place, one_, is_bare=is_bare)

    def _add(self, place: int, path: str, *, is_bare: bool) -> None:
        path, _, attribute = path.partition("@")
        ends = [self]
        for step in () if path in (".", "") else re.split(r"/(?![^\[]*\])", path):
            names, bracket, conditions = step.partition("[")
            ends = [tree.below(name, bracket + conditions) for tree in ends for name in names.split("|")]
        for tree in ends:
            tree.ends.append((place, None if is_bare else attribute))

    def below(self, name: str, conditions: str) -> "Tree":
        """Return the tree below a step."""
        steps = self.any_ if name == "*" else self.steps.setdefault(name, [])
        tree = dict(steps).get(conditions)
        if tree is None:
            tree = Tree()
            steps.append((conditions, tree))
        return tree

    def walk(self, element: Element, found: list[tuple[int, Element, str]]) -> None:
        """Add (place, element, text) of everything at the paths of this tree, in the order of the document."""
        if self.ends:
            words = None
            for place, attribute in self.ends:
                if attribute:
                    found.append((place, element, attribute_of(element, attribute)))
                elif attribute is None:
                    found.append((place, element, ""))
                else:
                    words = text_of(element) if words is None else words
                    found.append((place, element, words))
        if self.steps or self.any_:
            is_one = len(self.steps) == 1 and not self.any_  # lxml finds one name faster
            for child in element.iterchildren(f"{{*}}{next(iter(self.steps))}") if is_one else element:
                tag = child.tag
                if isinstance(tag, str):
                    for conditions, tree in self.steps.get(tag[tag.rfind("}") + 1 :], self.any_):
                        if not conditions or _fits(child, conditions):
                            tree.walk(child, found)


@cache  # paths and conditions are those of the tables
def _conditions(conditions: str) -> tuple[tuple[str, bool, bool, tuple[str, ...]], ...]:
    return tuple(
        (name, sign == "~", no == "", tuple(words.split("|")))
        for name, no, sign, words in _CONDITION.findall(conditions)
    )


def _fits(element: Element, conditions: str) -> bool:
    for attribute, is_part, wanted, words in _conditions(conditions):
        stated = attribute_of(element, attribute)
        if (any(part in stated for part in words) if is_part else stated in words) is not wanted:
            return False
    return True


_PLACE = itemgetter(0)


def found_in(element: Element | None, tree: Tree) -> list[tuple[int, Element, str]]:
    """Return (place, element, text or attribute) of what is at the paths of a tree, in the order of the paths."""
    found: list[tuple[int, Element, str]] = []
    if element is not None:
        tree.walk(element, found)
        found.sort(key=_PLACE)
    return found


@cache
def tree_of(*paths: str, is_bare: bool = False) -> Tree:
    """Return paths as a tree; the place of each is its number."""
    tree = Tree()
    for place, path in enumerate(paths):
        tree.add(place, path, is_bare=is_bare)
    return tree


def find(holder: Element | None, path: str) -> list[Element]:
    """Return the elements at a path, in the order of the document."""
    return [element for _, element, _ in found_in(holder, tree_of(path, is_bare=True))]


def one(holder: Element | None, path: str) -> Element | None:
    """Return the first element at a path."""
    return next(iter(find(holder, path)), None)


def texts(holder: Element | None, *paths: str) -> Iterator[str]:
    """Yield the texts, or attributes, at some paths that are not empty."""
    return filter(None, [words for _, _, words in found_in(holder, tree_of(*paths))])


def text(holder: Element | None, *paths: str) -> str:
    """Return the first of `texts`, or an empty string."""
    return next(texts(holder, *paths), "")


def attribute_of(element: Element, name: str) -> str:
    """Return an attribute by its local name; of a qualified name such as `dcterms:URI`, the last part."""
    value = element.get(name)
    if value is None:
        value = next((str(text) for key, text in element.items() if str(key).rpartition("}")[2] == name), "")
    return value.rpartition(":")[2] if name == "type" and "/" not in value else value.strip()


def record_in(root: Element, *names: str) -> Element | None:
    """Return the root if it has one of these local names, else the first element below it that has."""
    below = root.iter(*(f"{{*}}{name}" for name in names))
    return root if name_of(root)[1] in names else next(below, None)


def language(element: Element) -> str:
    """Return the language of an element: its xml:lang, else that of the nearest one around it (XML 1.0 §2.12)."""
    if stated := element.get(_LANGUAGE) or element.get("lang"):
        return stated
    holder = element.getparent()
    while holder is not None and not (stated := holder.get(_LANGUAGE)):
        holder = holder.getparent()
    return stated or ""


def marked(element: Element) -> str:
    """Return a text with its paragraphs and indices as tags of HTML, without its heading, its notes and references."""
    return "".join(_marked(element, _HEADINGS)) if len(element) else element.text or ""


def _marked(element: Element, without: frozenset[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = name_of(child)[1]
        if name and name not in without:
            tag = _INLINE.get(name) or ("p" if name in _BLOCKS else "")
            yield f"<{tag}>" if tag else ""
            yield from _marked(child, _NO_TEXT)
            yield f"</{tag}>" if tag else ""
        yield child.tail or ""
