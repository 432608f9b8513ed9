"""Licence and access rights of the work of a page, not of the site, its pictures or other works. Pure.

A licence belongs to the work if the head, the metadata or the sentence around a link states it for the work
(`rights_words.py`). It does not count in a footer, sidebar, menu or list of works. Two statements that differ do not
count either, and none counts on a page that reserves all rights. `Terms.doubt` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gateway.core.xmlio import Element
from gateway.fulltext.licenses import is_open, license_of, license_uri
from harvester.fulltext.access_rights import Access, access_of, day_of, end_of_embargo
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.page_claims import PageClaims, claims_of
from harvester.fulltext.pages.page_descriptions import descriptions_of, licenses_of, names_of, statements_of
from harvester.fulltext.pages.page_files import PageFiles
from harvester.fulltext.pages.page_tree import PageTree, around, attribute, held_by, is_aside, is_licensing, words
from harvester.fulltext.rights_words import Doubt, doubt_about, is_trusted, licenses_in, spelled
from harvester.http.json_answers import Node

_LISTED = ("li", "tr", "article")  # several of them, each with a licence, are several works
_BLOCKS = ("p", "div", "li", "td", "dd", "section", "article", "body")
_MOST_STATED = 50  # links with a licence that are read
_LONGEST_SENTENCE = 600  # characters of a block around a link
_LARGEST_BLOCK = 200  # elements and texts
_HINTS = ("creative commons", "creativecommons", "cc by", "cc-by")  # in texts that may state a licence
_ENTRIES = ("li", "tr")

_ACCESS_TAGS = ("dc.rights", "dcterms.accessrights", "dc.accessrights", "dcterms.rights", "citation_access")
_DATE_TAGS = ("dc.date", "dcterms.available", "dc.date.available", "dc.date.embargo", "dcterms.date")
_AVAILABLE_TAGS = ("dcterms.available", "dc.date.available", "dc.date.embargo")
_NAMES = "The page names the licence {}"
_SHUT = {
    access: f"The metadata of the page say that its access is {access}."
    for access in (Access.EMBARGOED, Access.RESTRICTED, Access.CLOSED)
}


class Terms(NamedTuple):
    """The licence of a work on a page, its URL, and the day on which the file becomes available.

    `doubt` says why a licence that the page names is not that of the file. `restriction` says why not everybody may
    have the file. `retracted` says that the page states a retraction. All three are sentences.
    """

    license: str = ""
    license_url: str = ""
    open_from: str = ""
    doubt: str = ""
    restriction: str = ""
    retracted: str = ""

    def narrowed(self, open_from: str, restriction: str) -> Terms:
        """Return the terms with an embargo or a restriction that is stated too. A restricted file has no licence."""
        terms = self._replace(open_from=max(self.open_from, open_from), restriction=self.restriction or restriction)
        return terms._replace(license="", license_url="") if terms.restriction else terms

    def on(self, copy: Copy) -> Copy:
        """Return a copy to which a page with these terms leads, with what the page states of it.

        Its licence is removed where the page contradicts it.
        """
        doubt, license_, url = copy.doubt, copy.license, copy.license_url
        if license_ and self.license not in ("", license_):
            doubt = f"The page and its links state different licences: {license_} and {self.license}."
        doubt = self.doubt or doubt
        if doubt or self.restriction:
            license_ = url = ""
        return copy._replace(
            license=license_,
            license_url=url,
            open_from=max(copy.open_from, self.open_from),
            doubt=doubt,
            restriction=self.restriction or copy.restriction,
            retracted=self.retracted or copy.retracted,
        )


NO_TERMS = Terms()


class PageTerms(NamedTuple):
    """The terms of all files of a page, and of those with terms of their own, by their addresses.

    `known` are the addresses of all files to which links lead.
    """

    terms: Terms = NO_TERMS
    own: tuple[tuple[str, Terms], ...] = ()
    known: frozenset[str] = frozenset()

    def of(self, url: str) -> Terms:
        """Return the terms of the file at an address; of one without a link, the strictest."""
        if url in self.known:
            return dict(self.own).get(url, self.terms)
        strictest = self.terms
        for _, terms in self.own:
            strictest = strictest.narrowed(terms.open_from, terms.restriction)
        return strictest


class _Stated:
    """The licences that a page states for its work, and why others that it names do not count."""

    def __init__(self) -> None:
        self.licenses: dict[str, str] = {}  # with their addresses
        self.doubts: dict[str, Doubt] = {}

    def take(self, text: str, doubt: Doubt | None = None) -> None:
        """Take the licence in a text, or the doubt about it."""
        name = license_of(text)
        if name and doubt is not None:
            self.doubts.setdefault(name, doubt)
        elif name:
            self.licenses[name] = self.licenses.get(name, "") or license_uri(text)


def terms_of(
    page: PageTree, tags: list[tuple[str, str]], url: str, files: PageFiles, title: str = "", doi: str = ""
) -> PageTerms:
    """Return the terms that the page at an address states for its work, with this title and DOI (empty: not known).

    `tags` are the names and contents of its meta tags, `files` the files to which it leads.
    """
    nodes = descriptions_of(page, title, doi)
    rights = _of(tags, (*_ACCESS_TAGS, *rules.LICENSE_TAGS))
    titles = [*_of(tags, rules.TITLE_TAGS), *map(words, page.elements("title", "h1")), *_texts(nodes, names_of)]
    claims = claims_of(page, tags, titles, [*rights, *_texts(nodes, statements_of)], files)
    terms = _terms(page, tags, url, claims, [text for node in nodes for text in licenses_of(node)])
    own: dict[str, Terms] = {}
    for claim in claims.files:
        for file in claim.urls:
            own[file] = own.get(file, terms).narrowed(claim.open_from, claim.restriction)
    return PageTerms(terms, tuple(sorted(own.items())), files.urls)


def _terms(page: PageTree, tags: list[tuple[str, str]], url: str, claims: PageClaims, described: list[str]) -> Terms:
    """Return the terms of all files, with the claims of the page and the described licences."""
    rights = _of(tags, (*_ACCESS_TAGS, *rules.LICENSE_TAGS))
    access = access_of(_of(tags, _ACCESS_TAGS))
    open_from = max(claims.open_from, _open_from(tags, rights, access))
    restriction = "" if open_from and access is Access.EMBARGOED else _SHUT.get(access or Access.OPEN, "")
    terms = Terms(open_from=open_from, restriction=claims.restriction or restriction, retracted=claims.retracted)
    if terms.restriction or not is_trusted(url):
        return terms
    stated = _stated(page, tags, described)
    named = [license_ for license_ in stated.licenses if license_ != "other-oa"] or list(stated.licenses)
    doubt = _doubt(named, stated.doubts, claims)
    if doubt or not named:
        return terms._replace(doubt=doubt)
    return terms._replace(license=named[0], license_url=stated.licenses[named[0]])


def _texts(nodes: Iterable[Node], of: Callable[[Node], Iterable[str]]) -> list[str]:
    return [text for node in nodes for text in of(node)]


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _open_from(tags: list[tuple[str, str]], rights: Iterable[str], access: Access | None) -> str:
    """Return the day on which the tags say that the file becomes available, or an empty string."""
    available = [content for name, content in tags if name.endswith("available") or name in _AVAILABLE_TAGS]
    stated = end_of_embargo([*rights, *_of(tags, _DATE_TAGS)])
    if access is Access.EMBARGOED and not stated:
        return max((day_of(text, is_end=True) for text in available), default="")
    return max([stated, *map(day_of, available)])  # of a year alone, the first day: it may be over


def _doubt(named: list[str], doubts: Mapping[str, Doubt], claims: PageClaims) -> str:
    """Return why no licence on the page counts, as a sentence; empty: one counts, or the page names none."""
    if not named:
        return next((f'{_NAMES.format(name)} {why.reason}: "{why.quote}".' for name, why in doubts.items()), "")
    different = sorted({*named, *claims.licenses})
    if len(named) > 1 or (is_open(named[0]) and len(different) > 1):
        return f"The page states different licences: {' and '.join(different)}."
    return f"{_NAMES.format(named[0])} too. {claims.reserved}" if is_open(named[0]) and claims.reserved else ""


def _stated(page: PageTree, tags: list[tuple[str, str]], described: Iterable[str]) -> _Stated:
    """Return the licences in links beside sentences, in tags, in descriptions, and in links of the head."""
    stated = _Stated()
    for tag in _licensing(page):
        text, place, end, is_close = _around(tag)
        stated.take(attribute(tag, "href"), doubt_about(text, place, end, is_close=is_close))
    for text in _of(tags, rules.LICENSE_TAGS):
        stated.take(text, doubt_about(text))
    for text in described:
        stated.take(text)
    for tag in islice(filter(is_licensing, page.elements("link")), _MOST_STATED):
        name = license_of(attribute(tag, "href"))
        if name in stated.licenses or name not in stated.doubts:  # else the page says what it is the licence of
            stated.take(attribute(tag, "href"))
    if not stated.licenses and not stated.doubts:
        for text in _in_words(page):
            stated.take(text)
    return stated


def _in_words(page: PageTree) -> Iterator[str]:
    """Yield the licences that sentences of the page state for its work, with a plain link or without one.

    A sentence in a footer or a menu, or in one of several entries of a list, is not about the work.
    """
    plain = (tag for tag in page.elements("a") if license_of(attribute(tag, "href")) and _is_of_the_page(tag))
    for tag in islice(plain, _MOST_STATED):
        text, place, end, _ = _around(tag)
        if place and not doubt_about(text, place, end):
            yield attribute(tag, "href")
    seen: set[Element] = set()
    for tag, _ in islice(page.hinting(_HINTS), _MOST_STATED):
        block = tag if tag.tag in _BLOCKS else around(tag, *_BLOCKS)
        if block is None or block in seen or not _is_of_the_page(block):
            continue
        seen.add(block)
        if len(list(islice(held_by(block), _LARGEST_BLOCK + 1))) <= _LARGEST_BLOCK:
            yield from licenses_in(spelled(words(block)))


def _is_of_the_page(tag: Element) -> bool:
    return not is_aside(tag) and around(tag, *_ENTRIES) is None


def _licensing(page: PageTree) -> Iterator[Element]:
    """Yield the links to licences that do not belong to the site, or to one work of several."""
    stated = islice(filter(is_licensing, page.elements("a")), _MOST_STATED)
    anchors = [tag for tag in stated if not is_aside(tag)]
    listed = {held for tag in anchors if (held := around(tag, *_LISTED)) is not None and _is_one_of_many(held)}
    yield from (tag for tag in anchors if around(tag, *_LISTED) not in listed)


def _is_one_of_many(held: Element) -> bool:
    """Return whether an element of a list has siblings that state a licence too."""
    siblings = islice(held.itersiblings(held.tag), _MOST_STATED)
    before = islice(held.itersiblings(held.tag, preceding=True), _MOST_STATED)
    return any(any(map(is_licensing, sibling.iter("a"))) for sibling in (*siblings, *before))


def _around(tag: Element) -> tuple[str, int, int, bool]:
    """Return the text of the smallest block around a link with more text than the link, and the place of the link.

    It is cut, and that of the link alone if all blocks are too large. The last value says whether the block is the
    closest one.
    """
    own = words(tag)
    for number, block in enumerate(islice(tag.iterancestors(*_BLOCKS), 4)):
        if len(list(islice(held_by(block), _LARGEST_BLOCK + 1))) > _LARGEST_BLOCK:
            break
        text = words(block)
        if len(text) > len(own):
            place = max(text.find(own), 0)
            first = max(place - _LONGEST_SENTENCE, 0)
            return text[first : place + _LONGEST_SENTENCE], place - first, place - first + len(own), not number
    return own, 0, len(own), True
