"""What a page says of the licence and the access of its work, and not of itself, its pictures or other works. Pure.

A licence is that of the work where the head, the metadata or the sentence around a link states it of the work. It is
none where a footer, a sidebar, a menu or a list of works has it, where its sentence speaks of the site or of the
metadata, or where two such statements differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from bs4 import Tag

from gateway.errors import AnswerTooLarge
from harvester.wire import landing_rules as rules
from harvester.wire.access import Access, access_of, day_of, end_of_embargo
from harvester.wire.identifiers import dois_in
from harvester.wire.json_answers import Node, parts, texts
from harvester.wire.landing_links import is_elsewhere
from harvester.wire.license_hosts import is_trusted
from harvester.wire.licenses import license_of, license_uri
from harvester.wire.page_tree import PageTree, attribute, is_licensing
from harvester.wire.parsing import refuse_heavy_json

_ASIDE = ("footer", "figure", "aside", "nav")
_SIDE = re.compile(
    r"(?i)(?<![a-z])(?:side-?bar|(?:page|site)-?(?:foot(?:er)?|info)|foot(?:er)?|colophon|widget)(?![a-z])"
)
_LEAST_CUT = 12  # letters of a title that is cut
_LONGEST = 1000  # characters of names that are looked at
_ASIDE_ROLES = frozenset(("contentinfo", "complementary", "navigation"))
_LISTED = ("li", "tr", "article")  # several of them, each with a licence, are several works
_BLOCKS = ("p", "div", "li", "td", "dd", "section", "article", "body")
_MOST_STATED = 50  # links with a licence that are looked at
_LONGEST_SENTENCE = 600  # characters of a block around a link
_LARGEST_BLOCK = 200  # elements and texts
_MOST_SCRIPTS, _LONGEST_SCRIPT = 20, 500_000

# What a sentence licenses that is not the work: the site, its metadata. With `this article` in it, it is the work.
_OF_THE_METADATA = re.compile(r"(?i)\bmeta-?data\b")
_OF_THE_SITE = re.compile(
    r"(?i)\b(?:web ?sites?|web pages?|this (?:site|page|journal|repository|portal|blog|database)|the site|site content"
    r"|(?:all|the|our) content (?:of|on|in)|portal|photo(?:graph)?s?|cover image|logo)\b"
)
_OF_THE_WORK = re.compile(
    r"(?i)\b(?:this|the) (?:work|item|article|paper|publication|document|thesis|dissertation|book|chapter|preprint|file"
    r"|manuscript|report|text of this article|full[ -]?text)\b"
)
# What is licensed instead of the work: what belongs to it, or stands beside it.
_OF_A_PART = re.compile(
    r"(?i)\b(?:abstracts?|supplement\w{0,5}|supporting (?:information|material)|data(?: ?sets?)?|comments|reviews?"
    r"|figures?|images?|tables?|software|(?:source )?code|cover|slides|video)\b"
    r"[^.:;]{0,40}?(?::|\b(?:is|are|under|licen[cs]ed|available)\b)"
)
# What schema.org calls a work that somebody wrote; a site, a picture and the whole journal are others.
_WORKS = frozenset(
    ("Article", "ScholarlyArticle", "MedicalScholarlyArticle", "Thesis", "Book", "Chapter", "Report", "CreativeWork")
)
_SITES = frozenset(("WebSite", "WebPage", "Periodical", "Organization", "ImageObject"))
_ACCESS_TAGS = ("dc.rights", "dcterms.accessrights", "dc.accessrights", "dcterms.rights", "citation_access")
_DATE_TAGS = ("dc.date", "dcterms.available", "dc.date.available", "dc.date.embargo", "dcterms.date")
_AVAILABLE_TAGS = ("dcterms.available", "dc.date.available", "dc.date.embargo")


class Terms(NamedTuple):
    """The licence that a page states for its work, its address, and the day before which the file may not be had."""

    license: str = ""
    license_url: str = ""
    open_from: str = ""


def terms_of(page: PageTree, tags: list[tuple[str, str]], url: str, title: str = "", doi: str = "") -> Terms:
    """Return what the page at an address states of its work, of this title and DOI if it tells them.

    `tags` are the names and contents of its meta tags.
    """
    rights = _of(tags, _ACCESS_TAGS)
    access = access_of(rights)
    open_from = end_of_embargo([*rights, *_of(tags, _DATE_TAGS)])
    if access is Access.EMBARGOED and not open_from:
        open_from = max((day_of(each, is_end=True) for each in _of(tags, _AVAILABLE_TAGS)), default="")
    is_shut = access in (Access.RESTRICTED, Access.CLOSED) or (access is Access.EMBARGOED and not open_from)
    if is_shut or not is_trusted(url):
        return Terms(open_from=open_from)
    stated: dict[str, str] = {}
    tagged = filter(_is_of_the_work, _of(tags, rules.LICENSE_TAGS))
    for text in (*_linked(page), *tagged, *_described(page, title, doi)):
        if name := license_of(text):
            stated[name] = stated.get(name, "") or license_uri(text)
    named = [each for each in stated if each != "other-oa"] or list(stated)
    return Terms(named[0], stated[named[0]], open_from) if len(named) == 1 else Terms(open_from=open_from)


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _linked(page: PageTree) -> Iterator[str]:
    """Return the licences that the head, or links to them beside a sentence of the work, name."""
    for tag in islice(filter(is_licensing, page.elements("link")), _MOST_STATED):
        yield attribute(tag, "href")
    stated = islice(filter(is_licensing, page.elements("a")), _MOST_STATED)
    anchors = [tag for tag in stated if not _is_aside(tag)]
    listed = {id(held) for tag in anchors if (held := tag.find_parent(_LISTED)) and _is_one_of_many(held)}
    for tag in anchors:
        if id(tag.find_parent(_LISTED)) not in listed and _is_of_the_work(_around(tag)):
            yield attribute(tag, "href")


def _is_aside(tag: Tag) -> bool:
    """Tell whether a link stands in a part of the page that is no part of the work."""
    if tag.find_parent(_ASIDE) or is_elsewhere(tag):
        return True
    return any(
        attribute(each, "role") in _ASIDE_ROLES
        or _SIDE.search(f"{attribute(each, 'id')[:_LONGEST]} {attribute(each, 'class')[:_LONGEST]}")
        for each in tag.parents
        if each.name not in ("body", "html", "[document]")
    )


def _is_one_of_many(held: Tag) -> bool:
    """Tell whether an element of a list has siblings that state a licence too."""
    siblings = islice(held.find_next_siblings(held.name), _MOST_STATED)
    before = islice(held.find_previous_siblings(held.name), _MOST_STATED)
    return any(isinstance(each, Tag) and any(map(is_licensing, each.find_all("a"))) for each in (*siblings, *before))


def _around(tag: Tag) -> str:
    """Return the text of the smallest block around a link that says more than the link, unless that is half a page."""
    own = tag.get_text(" ", strip=True)
    for block in islice(tag.find_parents(_BLOCKS), 4):
        if len(list(islice(block.descendants, _LARGEST_BLOCK + 1))) > _LARGEST_BLOCK:
            break
        text = block.get_text(" ", strip=True)
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
    """Return the licences that descriptions in schema.org (JSON-LD) state of works at their top.

    A work by another name than that of the page's work is another one: those that are related, or the site. Where no
    tag names that work, it is the one that the page has its title or heading from, or its DOI.
    """
    typed = (tag for tag in page.elements("script") if attribute(tag, "type") == "application/ld+json")
    scripts = islice(typed, _MOST_SCRIPTS)
    works = [node for each in scripts for node in _nodes(each.get_text()[:_LONGEST_SCRIPT]) if _is_work(node)]
    named = [(node, [*texts(node, "headline"), *texts(node, "name")]) for node in works]
    if not title and len({_letters(names[0]) for _, names in named if names}) > 1:
        return
    shown = (
        [] if title else [each.get_text(" ", strip=True) for kind in ("title", "h1") for each in page.elements(kind)]
    )
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
    kinds = {each.rpartition("/")[2] for each in texts(node, "@type")}
    return bool(kinds & _WORKS) and kinds.isdisjoint(_SITES)


def _may_be_called(title: str, names: Iterable[str]) -> bool:
    """Tell whether one of the names may be this title, whole or cut, with what a site adds; where both are told."""
    spelled, named = _letters(title), [name for name in map(_letters, names) if name]
    return not spelled or not named or any(name in spelled or spelled in name for name in named)


def _stands(names: Iterable[str], shown: Iterable[str]) -> bool:
    """Tell whether one of the names stands in what a page shows as its title, or the beginning of one does."""
    titles = [title for title in map(_letters, shown) if title]
    spelled = [name for name in map(_letters, names) if name]
    return any(
        name in title or (len(title) >= _LEAST_CUT and name.startswith(title)) for name in spelled for title in titles
    )


def _dois(node: Node) -> list[str]:
    """Return the DOIs that a description names as its own."""
    identifiers = [*texts(node, "@id"), *texts(node, "identifier"), *texts(node, "sameAs"), *texts(node, "url")]
    return [doi for each in (*identifiers, *texts(node, "identifier", "value")) for doi in dois_in(each[:_LONGEST])]


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
    held = [each for each in top if isinstance(each, Mapping)]
    return [*held, *(inner for each in held for inner in parts(each, "@graph"))]
