"""The files of a page that a statement is about: those in its row of a list of files, or else all. Pure.

A repository lists the versions of a work, and one of them may be under an embargo. A row is an element with a link to a
file, whose siblings of the same name have the links to all other files. In any other place a statement is about all
files. It is also about all of them if two files in different rows have the same name: they may be the same file.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from gateway.core.xmlio import Element
from harvester.fulltext.pages.landing_work import file_name, joined, rewritten
from harvester.fulltext.pages.page_tree import PageTree, attribute

_MOST_LINKS = 50  # to the files of a page; with more, every statement is about all files


class PageFiles:
    """The files to which a page leads."""

    def __init__(self, page: PageTree, base: str, urls: Iterable[str]) -> None:
        self.urls = frozenset(urls)
        links = ((tag, rewritten(joined(base, attribute(tag, "href")))) for tag in page.elements("a"))
        own = islice(((tag, url) for tag, url in links if url in self.urls), _MOST_LINKS) if self._are_several else ()
        # of each link the elements that it is in, by their parents
        self._places = [(url, {outer.getparent(): outer for outer in (tag, *tag.iterancestors())}) for tag, url in own]

    @property
    def _are_several(self) -> bool:
        return len(self.urls) > 1

    def meant_by(self, element: Element) -> frozenset[str]:
        """Return the addresses of the files that a statement in an element is about."""
        if not self._are_several:
            return self.urls
        for row in (element, *element.iterancestors()):
            parent = row.getparent()
            beside = [(url, outer) for url, place in self._places if (outer := place.get(parent)) is not None]
            own = {url for url, outer in beside if outer is row}
            others = {url for url, outer in beside if outer.tag == row.tag} - own
            if own == self.urls or (own and others):
                is_apart = own | others == self.urls and set(map(_named, own)).isdisjoint(map(_named, others))
                return frozenset(own) if is_apart else self.urls
        return self.urls


def _named(url: str) -> str:
    return file_name(url).partition("?")[0].lower()
