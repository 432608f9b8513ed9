"""A page as a tree of elements, and its elements by their names, found in one pass over the tree. Pure."""

from __future__ import annotations

from collections import defaultdict

from bs4 import BeautifulSoup, Tag


class PageTree:
    """The tree of a page. `elements(name)` are those of a name, in their order on the page."""

    def __init__(self, body: bytes, encoding: str | None) -> None:
        # Lists of classes would be made for every element of the page; few are looked at.
        self.soup = BeautifulSoup(body, "lxml", from_encoding=encoding, multi_valued_attributes=None)
        self._by_name = defaultdict[str, list[Tag]](list)
        for element in self.soup.descendants:
            if isinstance(element, Tag):
                self._by_name[element.name].append(element)

    def elements(self, name: str) -> list[Tag]:
        """Return the elements of a name, the first on the page first."""
        return self._by_name.get(name, [])

    def elements_of(self, names: tuple[str, ...]) -> list[Tag]:
        """Return the elements of several names, name by name."""
        return [tag for name in names for tag in self.elements(name)]


def attribute(tag: Tag, name: str) -> str:
    """Return an attribute of an element as a text; empty when it has none."""
    value = tag.get(name)
    return value if isinstance(value, str) else ""


def is_licensing(tag: Tag) -> bool:
    """Tell whether an element leads to a licence: `license` is one of the words of its `rel`."""
    return "license" in attribute(tag, "rel").split()
