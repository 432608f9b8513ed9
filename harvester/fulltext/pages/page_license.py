"""Licence and access rights of the work of a page, not of the site, its pictures or other works. Pure.

A licence belongs to the work if the head, the metadata or the sentence around a link states it for the work. It does
not count in a footer, sidebar, menu or list of works, or in a sentence about the site or the metadata. Two statements
that differ do not count either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gateway.errors import AnswerTooLarge
from gateway.fulltext.licenses import license_of, license_uri
from gateway.xmlio import Element
from harvester.fulltext.access_rights import Access, access_of, day_of, end_of_embargo
from harvester.fulltext.identifiers import dois_in
from harvester.fulltext.license_hosts import is_trusted
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.landing_anchors import is_elsewhere
from harvester.fulltext.pages.page_tree import PageTree, around, attribute, held_by, is_licensing, words
from harvester.http.json_answers import Node, parts, texts
from harvester.xml.parsing import refuse_heavy_json

_ASIDE = ("footer", "figure", "aside", "nav")
_SIDE = re.compile(
    r"(?i)(?<![a-z])(?:side-?bar|(?:page|site)-?(?:foot(?:er)?|info)|foot(?:er)?|colophon|widget)(?![a-z])"
)
_LEAST_CUT = 12  # letters of a cut title
_LONGEST = 1000  # characters of names that are matched
_ASIDE_ROLES = frozenset(("contentinfo", "complementary", "navigation"))
_LISTED = ("li", "tr", "article")  # several of them, each with a licence, are several works
_BLOCKS = ("p", "div", "li", "td", "dd", "section", "article", "body")
_MOST_STATED = 50  # links with a licence that are read
_LONGEST_SENTENCE = 600  # characters of a block around a link
_LARGEST_BLOCK = 200  # elements and texts
_MOST_SCRIPTS, _LONGEST_SCRIPT = 20, 500_000

# Other licensed things in a sentence: the site, its metadata. With `this article` in it, it is the work.
_OF_THE_METADATA = re.compile(r"(?i)\bmeta-?data\b")
_OF_THE_SITE = re.compile(
    r"(?i)\b(?:web ?sites?|web pages?|this (?:site|page|journal|repository|portal|blog|database)|the site|site content"
    r"|(?:all|the|our) content (?:of|on|in)|portal|photo(?:graph)?s?|cover image|logo)\b"
)
_OF_THE_WORK = re.compile(
    r"(?i)\b(?:this|the) (?:work|item|article|paper|publication|document|thesis|dissertation|book|chapter|preprint|file"
    r"|manuscript|report|text of this article|full[ -]?text)\b"
)
# Parts of the work, or things beside it, that are licensed instead.
_OF_A_PART = re.compile(
    r"(?i)\b(?:abstracts?|supplement\w{0,5}|supporting (?:information|material)|data(?: ?sets?)?|comments|reviews?"
    r"|figures?|images?|tables?|software|(?:source )?code|cover|slides|video)\b"
    r"[^.:;]{0,40}?(?::|\b(?:is|are|under|licen[cs]ed|available)\b)"
)
# Types of written works in schema.org, and types of sites, pictures and journals.
_WORKS = frozenset(
    ("Article", "ScholarlyArticle", "MedicalScholarlyArticle", "Thesis", "Book", "Chapter", "Report", "CreativeWork")
)
_SITES = frozenset(("WebSite", "WebPage", "Periodical", "Organization", "ImageObject"))
_ACCESS_TAGS = ("dc.rights", "dcterms.accessrights", "dc.accessrights", "dcterms.rights", "citation_access")
_DATE_TAGS = ("dc.date", "dcterms.available", "dc.date.available", "dc.date.embargo", "dcterms.date")
_AVAILABLE_TAGS = ("dcterms.available", "dc.date.available", "dc.date.embargo")


class Terms(NamedTuple):
    """The licence of a work on a page, its URL, and the day on which the file becomes available."""

    license: str = ""
    license_url: str = ""
    open_from: str = ""


def terms_of(page: PageTree, tags: list[tuple[str, str]], url: str, title: str = "", doi: str = "") -> Terms:
    """Return the terms that the page at an address states for its work, with this title and DOI (empty: not known).

    `tags` are the names and contents of its meta tags.
    """
    rights = _of(tags, _ACCESS_TAGS)
    access = access_of(rights)
    open_from = end_of_embargo([*rights, *_of(tags, _DATE_TAGS)])
    if access is Access.EMBARGOED and not open_from:
        open_from = max((day_of(text, is_end=True) for text in _of(tags, _AVAILABLE_TAGS)), default="")
    is_shut = access in (Access.RESTRICTED, Access.CLOSED) or (access is Access.EMBARGOED and not open_from)
    if is_shut or not is_trusted(url):
        return Terms(open_from=open_from)
    stated: dict[str, str] = {}
    tagged = filter(_is_of_the_work, _of(tags, rules.LICENSE_TAGS))
    for text in (*_linked(page), *tagged, *_described(page, title, doi)):
        if name := license_of(text):
            stated[name] = stated.get(name, "") or license_uri(text)
    named = [license_ for license_ in stated if license_ != "other-oa"] or list(stated)
    return Terms(named[0], stated[named[0]], open_from) if len(named) == 1 else Terms(open_from=open_from)


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _linked(page: PageTree) -> Iterator[str]:
    """Return the licences in the head, or in links beside a sentence about the work."""
    for tag in islice(filter(is_licensing, page.elements("link")), _MOST_STATED):
        yield attribute(tag, "href")
    stated = islice(filter(is_licensing, page.elements("a")), _MOST_STATED)
    anchors = [tag for tag in stated if not _is_aside(tag)]
    listed = {held for tag in anchors if (held := around(tag, *_LISTED)) is not None and _is_one_of_many(held)}
    for tag in anchors:
        if around(tag, *_LISTED) not in listed and _is_of_the_work(_around(tag)):
            yield attribute(tag, "href")


def _is_aside(tag: Element) -> bool:
    """Return whether a link is in a part of the page that does not belong to the work."""
    if around(tag, *_ASIDE) is not None or is_elsewhere(tag):
        return True
    return any(
        attribute(element, "role") in _ASIDE_ROLES
        or _SIDE.search(f"{attribute(element, 'id')[:_LONGEST]} {attribute(element, 'class')[:_LONGEST]}")
        for element in tag.iterancestors()
        if element.tag not in ("body", "html")
    )


def _is_one_of_many(held: Element) -> bool:
    """Return whether an element of a list has siblings that state a licence too."""
    siblings = islice(held.itersiblings(held.tag), _MOST_STATED)
    before = islice(held.itersiblings(held.tag, preceding=True), _MOST_STATED)
    return any(any(map(is_licensing, sibling.iter("a"))) for sibling in (*siblings, *before))


def _around(tag: Element) -> str:
    """Return the text of the smallest block around a link with more text than the link, unless it is too large."""
    own = words(tag)
    for block in islice(tag.iterancestors(*_BLOCKS), 4):
        if len(list(islice(held_by(block), _LARGEST_BLOCK + 1))) > _LARGEST_BLOCK:
            break
        text = words(block)
        if len(text) > len(own):
            place = max(text.find(own), 0)
            return text[max(place - _LONGEST_SENTENCE // 2, 0) : place + _LONGEST_SENTENCE]
    return own


def _is_of_the_work(sentence: str) -> bool:
    if _OF_THE_METADATA.search(sentence):
        return False
    work, part = _OF_THE_WORK.search(sentence), _OF_A_PART.search(sentence)
    if part is not None and (work is None or work.start() > part.start()):
        return False
    return work is not None or not _OF_THE_SITE.search(sentence)


def _described(page: PageTree, title: str, doi: str) -> Iterator[str]:
    """Return the licences of top-level works in descriptions of schema.org (JSON-LD).

    A work with another name than that of the page is another work, or the site. If no tag names the work of the page,
    it is the one with the title or heading of the page, or its DOI.
    """
    typed = (tag for tag in page.elements("script") if attribute(tag, "type") == "application/ld+json")
    scripts = islice(typed, _MOST_SCRIPTS)
    works = [node for script in scripts for node in _nodes((script.text or "")[:_LONGEST_SCRIPT]) if _is_work(node)]
    named = [(node, [*texts(node, "headline"), *texts(node, "name")]) for node in works]
    if not title and len({_letters(names[0]) for _, names in named if names}) > 1:
        return
    shown = [] if title else [words(element) for element in page.elements("title", "h1")]
    for node in (
        node
        for node, names in named
        if (doi and doi in _dois(node))
        or (_may_be_called(title, names) if title or not names else _stands(names, shown))
    ):
        yield from texts(node, "license")
        for name in ("url", "@id", "name"):
            yield from texts(node, "license", name)


def _is_work(node: Node) -> bool:
    kinds = {text.rpartition("/")[2] for text in texts(node, "@type")}
    return bool(kinds & _WORKS) and kinds.isdisjoint(_SITES)


def _may_be_called(title: str, names: Iterable[str]) -> bool:
    """Return whether one of the names may be this title, whole, cut or extended; True if one is not known."""
    spelled, named = _letters(title), [name for name in map(_letters, names) if name]
    return not spelled or not named or any(name in spelled or spelled in name for name in named)


def _stands(names: Iterable[str], shown: Iterable[str]) -> bool:
    """Return whether one of the names, or the beginning of one, is in the shown title of a page."""
    titles = [title for title in map(_letters, shown) if title]
    spelled = [name for name in map(_letters, names) if name]
    return any(
        name in title or (len(title) >= _LEAST_CUT and name.startswith(title)) for name in spelled for title in titles
    )


def _dois(node: Node) -> list[str]:
    """Return the DOIs that a description calls its own."""
    identifiers = [*texts(node, "@id"), *texts(node, "identifier"), *texts(node, "sameAs"), *texts(node, "url")]
    return [
        doi
        for identifier in (*identifiers, *texts(node, "identifier", "value"))
        for doi in dois_in(identifier[:_LONGEST])
    ]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_LONGEST].casefold()))


def _nodes(text: str) -> list[Node]:
    """Return the objects at the top of a JSON-LD document, or of its graph; none of what is no JSON."""
    try:
        refuse_heavy_json(text.encode("utf-8", "replace"))
        document = json.loads(text)
    except (ValueError, RecursionError, AnswerTooLarge):
        return []
    top = document if isinstance(document, list) else [document]
    held = [node for node in top if isinstance(node, Mapping)]
    return [*held, *(inner for node in held for inner in parts(node, "@graph"))]
