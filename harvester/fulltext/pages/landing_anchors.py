"""The anchors of a page that lead to the file of its work: those that say or name a PDF (Autoload's rule). Pure."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from gateway.core.xmlio import Element
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.landing_work import OwnWork, PageLink, file_name, is_part, joined, plain, rewritten
from harvester.fulltext.pages.page_tree import PageTree, attribute, held_by
from harvester.http.urls import site_of

_PDF = "application/pdf"
_MOST_ANCHORS = 2000
_MOST_IN_ANCHOR = 50  # elements and texts; an unclosed one contains the rest of the page
_LONGEST_TEXT = 1000  # characters of a text or a name that are matched
_LONGEST_ADDRESS = 4096  # characters; no server accepts more
_MOST_ALIKE = 4  # so many anchors with equal texts and other targets mean a list of works
_MUCH_LIKELIER = 2  # the lead in score with which a page comes before a file
_BARE = 2  # the score of an anchor whose address names a PDF, without other signs of the work
_ARTICLE = frozenset(("article", "main"))


class _Anchor(NamedTuple):
    url: str
    text: str
    names_pdf: bool
    score: int
    is_the_article: bool  # by its words, or by the DOI of the work


def anchored(page: PageTree, own: OwnWork) -> list[PageLink]:
    """Return the links that match the rule of Autoload, the most likely first.

    On a page with a list of works, only a link that says that it is the article counts.
    """
    tags = (tag for tag in page.elements("a") if "href" in tag.attrib)
    parsed = (_anchor(tag, own) for tag in islice(tags, _MOST_ANCHORS))
    anchors = [anchor for anchor in parsed if anchor]
    if _is_list(anchors):
        anchors = [anchor for anchor in anchors if anchor.is_the_article]
        anchors = anchors if len({anchor.url for anchor in anchors}) == 1 else []
    anchors.sort(key=lambda anchor: -anchor.score)
    best_page = max((anchor.score for anchor in anchors if not anchor.names_pdf), default=0)
    anchors = [anchor for anchor in anchors if not anchor.names_pdf or _is_likely(anchor, best_page)]
    return [
        *(PageLink(_copy(anchor), anchor.text) for anchor in anchors if anchor.names_pdf),
        *(PageLink(_copy(anchor), anchor.text) for anchor in anchors if not anchor.names_pdf),
    ]


def _is_likely(anchor: _Anchor, best_page: int) -> bool:
    """Return whether a link to a file is likelier than the best link to a page; one that only names a PDF never is."""
    return anchor.score > (max(best_page - _MUCH_LIKELIER, _BARE) if best_page else best_page - _MUCH_LIKELIER)


def _copy(anchor: _Anchor) -> Copy:
    is_page, evidence = not anchor.names_pdf, f"anchor:{anchor.text[:60]}"
    return Copy(anchor.url, is_page, "" if is_page else _PDF, evidence=evidence)


def _anchor(tag: Element, own: OwnWork) -> _Anchor | None:
    """Return an anchor whose text or address says PDF, for the work on this site; else None."""
    address = attribute(tag, "href").strip()
    written, drawn = words_of(tag)
    text = spoken(written, drawn)
    if len(address) > _LONGEST_ADDRESS:
        return None
    says = bool(rules.SAYS_PDF.search(text.lower()))
    if not (says or own.may_name_pdf or rules.MAY_NAME_PDF.search(address)):
        return None
    there = joined(own.work.base, address)
    url = rewritten(there)
    names = bool(rules.NAMES_PDF.search(url) or (says and rules.GALLEY.search(url)))
    is_other = bool(rules.OTHER_FORM.search(url)) and not names
    if not (names or says) or is_other or site_of(url) != site_of(own.work.base):
        return None
    is_titled = own.is_titled(f"{text} {file_name(url)}")
    is_something_else = rules.NOT_IN_TEXT.search(written) and not is_titled
    if rules.NOT_IN_ADDRESS.search(address) or is_something_else or is_elsewhere(tag):
        return None
    gains = 2 * names + says + 2 * bool(rules.PLAIN.fullmatch(text)) + 2 * (own.names(there) or own.names(url))
    gains += own.begins(there) + 2 * is_titled + bool(rules.WHOLE.search(f"{file_name(url)} {text}"))
    has_doi = any(doi in plain(url).lower() for doi in own.dois)
    is_the_article = names and (has_doi or bool(rules.THE_ARTICLE.search(text)))
    return _Anchor(
        url, text, names, gains - 4 * is_part(PageLink(Copy(url), text)) - 3 * _is_in_menu(tag), is_the_article
    )


def spoken(written: str, drawn: list[str]) -> str:
    """Return the text of an anchor, with those of its titles and pictures, cut."""
    return " ".join(filter(None, [written, *drawn]))[:_LONGEST_TEXT]


def words_of(tag: Element) -> tuple[str, list[str]]:
    """Return the words of an anchor, its title and its pictures, and the names of the pictures.

    Only the beginning of its content is read.
    """
    words, pictures = [], []
    for element in islice(held_by(tag), _MOST_IN_ANCHOR):
        if isinstance(element, str):
            words.append(element.strip())
        elif element.tag == "img":
            pictures.append(element)
    spoken = [attribute(picture, name) for picture in pictures for name in ("alt", "title")]
    drawn = [attribute(picture, name) for picture in pictures for name in ("src", "class")]
    texts = dict.fromkeys(filter(None, [*words, attribute(tag, "title"), *spoken]))  # a title often repeats the words
    return " ".join(texts)[:_LONGEST_TEXT], drawn


def _is_in_menu(tag: Element) -> bool:
    """Return whether an element is in the menu of the site; the header of an article is not a menu."""
    elements = {element.tag for element in tag.iterancestors()}
    return "nav" in elements or ("header" in elements and not elements & _ARTICLE) or _stands_in(tag, rules.MENU)


def _stands_in(tag: Element, names: re.Pattern[str]) -> bool:
    return any(
        names.search(f"{attribute(element, 'id')[:_LONGEST_TEXT]} {attribute(element, 'class')[:_LONGEST_TEXT]}")
        for element in tag.iterancestors()
        if element.tag not in ("body", "html")
    )


def _is_list(anchors: list[_Anchor]) -> bool:
    """Return whether the page is about several works, such as conference proceedings."""
    different = {anchor.url: anchor for anchor in anchors}.values()
    texts = [anchor.text.lower() for anchor in different]
    if any(texts.count(text) >= _MOST_ALIKE for text in set(texts)):
        return True
    scores = [anchor.score for anchor in different if anchor.names_pdf]
    return bool(scores) and scores.count(max(scores)) >= _MOST_ALIKE


def is_elsewhere(tag: Element) -> bool:
    """Return whether an element is in a part of the page about other works."""
    return _stands_in(tag, rules.ELSEWHERE)
