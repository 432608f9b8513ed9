"""The links of a page to the file of its work, the most likely first. Pure.

The order is that of success: tags of the head, known places of systems, scripts, and last the anchors. Anchors are
judged by the rule of Autoload (the text or the address says PDF) with lists of exceptions. An anchor whose text says
PDF, but not its address, leads to a further page. Files whose names are those of parts of a work come last.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from gateway.core.xmlio import Element
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.landing_work import (
    OwnWork,
    PageLink,
    PageWork,
    file_name,
    is_part,
    joined,
    plain,
    rewritten,
)
from harvester.fulltext.pages.page_tree import PageTree, attribute, held_by
from harvester.http.urls import site_of

_PDF = "application/pdf"
_MOST_ANCHORS = 2000
_LONGEST_ADDRESS = 4096  # characters; no server accepts more
_LONGEST_JSON = 1500  # characters of the part of a script that names the file
_MOST_JSON = 50  # such parts of one page
_JSON = json.JSONDecoder()
_MOST_IN_ANCHOR = 50  # elements and texts; an unclosed one contains the rest of the page
_LONGEST_TEXT = 1000  # characters of a text or a name that are matched
_MOST_ALIKE = 4  # so many anchors with equal texts and other targets mean a list of works
_ARTICLE = frozenset(("article", "main"))


def links(page: PageTree, text: str, named: Iterable[tuple[str, str]], work: PageWork) -> list[Copy]:
    """Return the copies that a page names, the most likely first.

    `named` are (name, content) pairs of tags of the head that name a file. Links to another article of the same
    publisher, to a licence or to a thumbnail are left out.
    """
    own = OwnWork(work)
    is_issue = rules.ISSUE_MARK in text and len(page.selected(rules.ISSUE)) > 1
    is_issue = is_issue or bool(rules.ISSUE_ADDRESS.search(work.url))
    links_ = [
        *_named(named, work.base),
        *(() if is_issue else _known(page, text, own)),
        *_scripted(text, own),
        *(() if is_issue else anchored(page, own)),
    ]
    here = work.url.partition("#")[0]
    whole = [link for link in links_ if link.copy.url.partition("#")[0] != here and own.admits(link)]
    return [link.copy for link in sorted(whole, key=is_part)]


# --- the head and the body ----------------------------------------------------------------------------------------


def _named(named: Iterable[tuple[str, str]], base: str) -> Iterator[PageLink]:
    for name, content in named:
        url = joined(base, content)
        if not any(liar.search(url) for liar in rules.LYING_TAGS):
            yield PageLink(Copy(rewritten(url), mime_type=_PDF, evidence=f"meta:{name}"))


def _known(page: PageTree, text: str, own: OwnWork) -> Iterator[PageLink]:
    for platform in (platform for platform in rules.PLATFORMS if platform.mark in text):
        links_ = []
        for tag in page.selected(platform.selector)[:_MOST_ANCHORS]:
            address = attribute(tag, platform.attribute)
            if not rules.NOT_IN_ADDRESS.search(address[:_LONGEST_ADDRESS]):
                url = joined(own.work.base, address)
                copy = Copy(rewritten(url), mime_type=_PDF, evidence=f"platform:{platform.name}")
                links_.append((own.names(url), PageLink(copy, spoken(*words_of(tag)))))
        yield from (link for _, link in sorted(links_, key=_likeliness))


def _likeliness(marked: tuple[bool, PageLink]) -> tuple[bool, bool]:
    is_own, link = marked
    return not is_own, not rules.WHOLE.search(f"{file_name(link.copy.url)} {link.text}")


def _scripted(text: str, own: OwnWork) -> Iterator[PageLink]:
    yield from sorted(_of_elsevier(text, own.work.base), key=lambda link: not own.names(link.copy.url))
    for pattern, seen in rules.SCRIPTS:
        for match in pattern.finditer(text):
            address = html.unescape(match[1].replace("\\/", "/").replace("\\u002F", "/"))
            url, is_page = rewritten(joined(own.work.base, address)), bool(rules.FRAMES.search(address))
            yield PageLink(Copy(url, is_page, "" if is_page else _PDF, evidence=f"script:{seen}"))


def _of_elsevier(text: str, base: str) -> Iterator[PageLink]:
    """Return the addresses that ScienceDirect splits: in JSON, or in JSON inside a JSON string."""
    if rules.QUOTED_PDF_DOWNLOAD in text:
        text = text.replace('\\"', '"')
    for match in islice(rules.PDF_DOWNLOAD.finditer(text), _MOST_JSON):
        try:
            document, _ = _JSON.raw_decode(text[match.start(1) : match.start(1) + _LONGEST_JSON])
            where = document["urlMetadata"]
            pieces = [where[name] for name in ("path", "pii", "pdfExtension")]
            signed = [where["queryParams"][name] for name in ("md5", "pid")]
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if all(isinstance(piece, str) and piece for piece in (*pieces, *signed)):
            address = f"/{pieces[0].strip('/')}/{pieces[1]}{pieces[2]}?md5={signed[0]}&pid={signed[1]}"
            yield PageLink(Copy(joined(base, address), mime_type=_PDF, evidence="script:sciencedirect.com"))


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
    return [PageLink(_copy(anchor), anchor.text) for anchor in sorted(anchors, key=lambda one: not one.names_pdf)]


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
    is_plain, is_own = bool(rules.PLAIN.fullmatch(text)), own.names(there) or own.names(url)
    if rules.NOT_IN_ADDRESS.search(address) or is_something_else or (is_elsewhere(tag) and not (is_plain and is_own)):
        return None
    gains = 2 * names + says + 2 * is_plain + 2 * is_own
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
