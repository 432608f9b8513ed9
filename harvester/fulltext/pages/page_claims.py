"""The claims of a page about the copy of its work, in words: embargo, restricted access, rights, retraction. Pure.

Text in a footer, sidebar, menu or list of other works does not count (`page_tree.py`). Most pages have none of the
words, so their parts are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from gateway.core.xmlio import Element
from harvester.fulltext.access_rights import day_in, is_shut_statement, open_from_words
from harvester.fulltext.pages.page_files import PageFiles
from harvester.fulltext.pages.page_tree import PageTree, attribute, held_by, is_aside, words
from harvester.fulltext.retractions import by_statement, label_around, label_in, statement_in
from harvester.fulltext.rights_words import (
    is_in_copyright,
    licenses_in,
    prohibiting,
    prohibitions_in,
    quoted,
    reserved_in,
    spelled,
)
from harvester.words import any_of, load, words_of

_WORDS = load("page_claims")

_PAGE = "the page"
_MOST_BLOCKS = 300
_MOST_TEXT = 1_000  # characters of a block
_NAMES = ("dt", "th")  # their texts have the value in the next element
_LARGEST = 60  # elements and texts of a block
_LABEL = 60  # characters of a label whose value is the next element
_BLOCKS = (
    *("p", "div", "li", "td", "th", "dd", "dt", "section", "article", "main", "body", "tr", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "figcaption"),
)
# Parts of words with which a claim can begin, in a page in lower case. Other pages have no claim in words.
HINTS = words_of(_WORDS["hints"])
_IN_COPYRIGHT = re.compile(
    rf"\W{{0,3}}+(?:(?:{any_of(_WORDS['before_in_copyright'])})\W{{1,3}})?"
    rf"(?:{any_of(_WORDS['in_copyright'])})\W{{0,3}}"
)
_OF_THE_SITE = re.compile(rf"\b(?:{any_of(_WORDS['site'])})\b")
_TOPIC = re.compile(any_of(_WORDS["topics"]))
_RETRACTING_TAGS = re.compile(any_of(_WORDS["retracting_tags"]))
_YES = frozenset(("true", "yes", "1", "retracted", "withdrawn", "removed", "retraction", "withdrawal", "removal"))


class FileClaim(NamedTuple):
    """A claim about some files of a page: the day on which they become available, or a sentence on their access."""

    urls: frozenset[str]
    open_from: str = ""
    restriction: str = ""


class PageClaims(NamedTuple):
    """The claims of a page about the copy: the day on which it becomes available, and sentences; empty: none.

    `files` are the claims about some files only.
    """

    open_from: str = ""
    restriction: str = ""
    reserved: str = ""
    retracted: str = ""
    licenses: frozenset[str] = frozenset()  # open ones of the work, in words
    files: tuple[FileClaim, ...] = ()


def claims_of(
    page: PageTree, tags: list[tuple[str, str]], titles: Iterable[str], stated: Iterable[str], files: PageFiles
) -> PageClaims:
    """Return the claims of a page with these meta tags, titles and files.

    `stated` are texts about rights and access from its metadata, each about the work.
    """
    titled = [title for title in titles if title]
    is_marked = any(_RETRACTING_TAGS.search(name) and content.lower() in _YES for name, content in tags)
    retracted = by_statement("retraction", _PAGE, "retracted") if is_marked else ""
    labels = [(label_around(title.lower()), title) for title in titled]
    retracted = retracted or next((by_statement(label, _PAGE, title) for label, title in labels if label), "")
    blocks = dict.fromkeys(_blocks(page))
    texts = [*dict.fromkeys(text for text, _ in blocks), *map(spelled, stated)]
    reserved = next((quote for block in texts if (quote := _reserved(block))), "")
    reserved = reserved or ("In Copyright" if _in_copyright(page, tags) else "")
    # A title about retractions that is not labelled with one.
    is_topic = any(_TOPIC.search(title.lower()) and not label for label, title in labels)
    retracted = retracted or ("" if is_topic else next(filter(None, map(_by_words, texts)), ""))
    accesses = _accesses(blocks, files)
    days, shut = accesses.pop(files.urls, _Access([], []))
    days += [day for text in map(spelled, stated) if (day := open_from_words(text))]
    days += [day for name, content in tags if "embargo" in name and (day := day_in(content))]
    days += [day for name, content in tags if "embarg" in content.lower() and (day := open_from_words(content))]
    shut += [text for text in map(spelled, stated) if is_shut_statement(text)]
    forbidden = _shut_by(days, shut) or next(filter(None, map(_prohibition, texts)), "")
    return PageClaims(
        max(days, default=""),
        _says(forbidden),
        _says(reserved),
        retracted,
        frozenset(license_ for block in texts for license_ in licenses_in(block)),
        tuple(
            FileClaim(urls, max(at, default=""), _says(_shut_by(at, words))) for urls, (at, words) in accesses.items()
        ),
    )


class _Access(NamedTuple):
    """Statements about the access to some files: days, and texts that say that it is restricted."""

    days: list[str]
    shut: list[str]


def _accesses(blocks: Iterable[tuple[str, Element]], files: PageFiles) -> dict[frozenset[str], _Access]:
    """Return the statements about access in blocks, by the addresses of the files that they are about."""
    accesses: dict[frozenset[str], _Access] = {}
    for text, element in blocks:
        day, is_shut = open_from_words(text), is_shut_statement(text)
        if day or is_shut:
            access = accesses.setdefault(files.meant_by(element), _Access([], []))
            access.days.extend([day] * bool(day))
            access.shut.extend([text] * is_shut)
    return accesses


def _shut_by(days: list[str], shut: list[str]) -> str:
    """Return the first statement of restricted access; empty if there is none, or if a day is stated."""
    return next(iter(shut), "") if not days else ""


def _says(quote: str) -> str:
    return f'The page says "{quoted(quote)}".' if quote else ""


def _by_words(block: str) -> str:
    update = label_in(block)
    if update:
        return by_statement(update, _PAGE, block)
    update, quote = statement_in(block)
    return by_statement(update, _PAGE, quote) if update else ""


def _prohibition(block: str) -> str:
    """Return the words of a block that forbid to pass the file on; empty: none, or those of the site."""
    return "" if _OF_THE_SITE.search(block) else next(chain(prohibiting((block,)), prohibitions_in(block)), "")


def _reserved(block: str) -> str:
    """Return the words of a block that reserve all rights; empty: none, or those of the site."""
    if _OF_THE_SITE.search(block):
        return ""
    return next(reserved_in(block), "") or (block if _IN_COPYRIGHT.fullmatch(block) else "")


def _in_copyright(page: PageTree, tags: list[tuple[str, str]]) -> bool:
    """Return whether a link or a meta tag of a page has a statement of RightsStatements.org for its work."""
    if any(is_in_copyright(content) for _, content in tags):
        return True
    anchors = (tag for tag in page.elements("a") if is_in_copyright(attribute(tag, "href")))
    return any(not is_aside(tag) for tag in islice(anchors, _MOST_BLOCKS))


def _blocks(page: PageTree) -> Iterator[tuple[str, Element]]:
    """Yield the texts in lower case of blocks with a hint, and their elements; a short one with the next element."""
    seen: set[tuple[Element, str]] = set()
    for tag, text in islice(page.hinting(HINTS), _MOST_BLOCKS):
        block = tag if tag.tag in _BLOCKS else next(tag.iterancestors(*_BLOCKS), tag)
        if is_aside(tag):
            continue
        for element in dict.fromkeys((tag, block)):
            if (element, "") not in seen:
                seen.add((element, ""))
                yield from ((own, element) for own in _texts(element))
        if tag.tag not in _NAMES:
            yield spelled(text), tag


def _texts(element: Element) -> Iterator[str]:
    """Yield the text of an element, and with that of the next one if it is as short as a label.

    A next element that states a day by itself needs no label.
    """
    if len(list(islice(held_by(element), _LARGEST + 1))) > _LARGEST:
        return
    own, following = spelled(words(element))[:_MOST_TEXT], element.getnext()
    is_name = len(own) <= _LABEL and following is not None and isinstance(following.tag, str)
    if not is_name or element.tag not in _NAMES:
        yield own
    if is_name and following is not None and not open_from_words(value := spelled(words(following))[:_MOST_TEXT]):
        yield f"{own.rstrip(': ')}: {value}"
