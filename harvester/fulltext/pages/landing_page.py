"""Reader of a page about a work. Pure.

It returns statements about the work, links to the file (`landing_links`), and obstacles. All of these are claims: the
bytes of the file decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.model import Outcome
from gateway.core.typed_links import Link, links_of_elements
from harvester.fulltext.known_copies import IS_ARTICLE, Copy, without_repetitions
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.article_xml import as_utf8
from harvester.fulltext.pages.landing_links import links
from harvester.fulltext.pages.landing_work import PageWork, joined
from harvester.fulltext.pages.page_files import PageFiles
from harvester.fulltext.pages.page_license import NO_TERMS, PageTerms, Terms, terms_of
from harvester.fulltext.pages.page_tree import PageTree, around, attribute, attributes, texts, words
from harvester.fulltext.pages.supplement_links import supplements
from harvester.words import any_of, load

_MOST_HELD = 16  # cached pages: signposts and links are separate steps that read the same page
# Encodings of real pages; Python has others that take hours.
_CHARSET = re.compile(
    r"(?i)\bcharset\s*=\s*[\"']?(utf-?8|iso-?8859-\d{1,2}|windows-125\d|koi8-[ru]|shift_jis|euc-\w\w|gb\w{1,5}|big5)\b"
)
_DECLARES = re.compile(rb"(?i)(?:charset|encoding)\s*=|^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)")
_MOST_BEFORE_DECLARED = 4096
# As browsers read it; a longer delay than 99 seconds is no redirect.
_REFRESH = re.compile(
    r"(?i)^\s*(?:\d{1,2}|(?=\.))(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(?:'([^']+)|\"([^\"]+)|([^'\"\s]\S*))"
)


class Page(NamedTuple):
    """The content of a page. `outcome` is not None when the page is an obstacle, such as a login.

    `copies` are PDFs, and pages that lead to them; `full_texts` the text as XML or HTML, with the page itself if it
    `is_article`. `supplements` are files that accompany the work. `open_from` is the day on which the file becomes
    available. `terms` are all terms of its files, and `page_terms` those of each file.
    """

    title: str = ""
    doi: str = ""
    license: str = ""
    copies: tuple[Copy, ...] = ()
    links: tuple[Link, ...] = ()
    refresh: str = ""
    outcome: Outcome | None = None
    full_texts: tuple[Copy, ...] = ()
    is_article: bool = False
    open_from: str = ""
    terms: Terms = NO_TERMS
    page_terms: PageTerms = PageTerms()
    supplements: tuple[Copy, ...] = ()


@lru_cache(maxsize=_MOST_HELD)
def read(body: bytes, url: str, content_type: str = "") -> Page:
    """Return the content of the page at this address; an unreadable page has none. Never raise an error."""
    if (in_utf8 := as_utf8(body)) is not body:
        content_type = "text/html; charset=utf-8"
    body = affordable(in_utf8)
    tree = PageTree(body, _encoding(body, content_type))
    title = next(map(words, tree.elements("title")), "")
    outcome = obstacle(url, title)
    if outcome is not None:
        return Page(title=title, outcome=outcome)
    tags = _tags(tree)
    bases = (attribute(base, "href") for base in tree.elements("base") if "href" in base.attrib)
    base = next((joined(url, base) for base in bases), "") or url
    text = body.decode("utf-8", "replace")
    doi = next((doi for stated_doi in _of(tags, rules.DOI_TAGS) for doi in dois_in(stated_doi)), "")
    stated_title = next(iter(_of(tags, rules.TITLE_TAGS)), "")
    own_title = stated_title or title
    named = [(name, content) for name in rules.PDF_TAGS for content in _of(tags, (name,))]
    page_work = PageWork(url, base, doi, own_title)
    links_ = links(tree, text, named, page_work)
    files = PageFiles(tree, base, (copy.url for copy in links_))
    page_terms = terms_of(tree, tags, url, files, stated_title, doi)
    terms = page_terms.terms
    is_article = is_article_page(tree, text)
    named_files = tuple(dict.fromkeys(copy.url for copy in links_ if not copy.is_page))
    linked = (*links_, *supplements(tree, page_work, named_files))
    own = [copy._replace(**page_terms.of(copy.url)._asdict()) for copy in linked]
    matches = (_REFRESH.match(content) for content in _of(tags, ("refresh",)))
    refresh = next((joined(base, match[match.lastindex or 0]) for match in matches if match), "")
    return Page(
        title=own_title,
        doi=doi,
        license=terms.license,
        copies=without_repetitions([copy for copy in own if not copy.is_supplement]),
        links=tuple(links_of_elements((attributes(element) for element in tree.elements("link")), base)),
        refresh=refresh or _redirected(tree, text, base),
        full_texts=_full_texts(tags, url, base, is_article=is_article),
        is_article=is_article,
        open_from=terms.open_from,
        terms=terms,
        page_terms=page_terms,
        supplements=without_repetitions([copy for copy in own if copy.is_supplement]),
    )


def obstacle(url: str, title: str) -> Outcome | None:
    """Return the outcome if a page with this address and title is an obstacle such as a login; else None."""
    values = {"url": url, "title": title}
    return next((outcome for part, pattern, outcome in rules.OBSTACLES if pattern.search(values[part])), None)


def _encoding(body: bytes, content_type: str) -> str | None:
    """Return the encoding that the server states, or UTF-8 by default; None if the page states it itself."""
    stated = _CHARSET.search(content_type)
    name = stated[1] if stated else "" if _DECLARES.search(body[:_MOST_BEFORE_DECLARED]) else "utf-8"
    try:
        body.decode(name)
    except (LookupError, ValueError):
        return None
    return name


# --- the head -----------------------------------------------------------------------------------------------------


def _tags(tree: PageTree) -> list[tuple[str, str]]:
    """Return (name, content) of the meta tags, named by any attribute."""
    named = (
        (tag, attribute(tag, "name") or attribute(tag, "property") or attribute(tag, "http-equiv"))
        for tag in tree.elements("meta")
    )
    return [(name.strip().lower(), attribute(tag, "content").strip()) for tag, name in named if name]


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _redirected(tree: PageTree, text: str, base: str) -> str:
    """Return the target of a redirect by script, from the value of a field."""
    fields = tree.selected(rules.REDIRECT_FIELD) if rules.REDIRECT_MARK in text else []
    return next((joined(base, unquote(attribute(field, "value"))) for field in fields), "")


def _full_texts(tags: list[tuple[str, str]], url: str, base: str, *, is_article: bool) -> tuple[Copy, ...]:
    """Return the full text in other forms; the page itself counts only by its text."""
    own = [Copy(url, mime_type="text/html", evidence=IS_ARTICLE)] if is_article else []
    stated = [
        Copy(joined(base, content), mime_type=mime_type, evidence=f"meta:{name}")
        for name, mime_type in rules.FULL_TEXT_TAGS
        for content in _of(tags, (name,))
    ]
    page = url.partition("#")[0]
    return without_repetitions([*own, *(copy for copy in stated if copy.url.partition("#")[0] != page)])


# --- Limits on the read part of a page, so that an endless page takes little time too. Pure --------------------------

# The largest recorded page has 3,232 tags; 20,000 are read in two seconds, and 200,000 took half a minute.
MOST_TAGS = 20_000
# The depth of elements inside each other. A parser that keeps them all takes the square of their number.
MOST_DEEP = 400

# In bytes: the largest recorded page has less than half of them, and a parser takes forty times as much memory.
MOST_BYTES = 5_000_000

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*|[!?])")
# Elements that have no end, or need none: they nest nothing.
_FLAT = frozenset(
    b"area base br col colgroup dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr "
    b"track wbr ! ?".split()
)


def affordable(body: bytes) -> bytes:
    """Return a page up to the limit of bytes, tags or nested tags; most pages are returned whole."""
    body = body[:MOST_BYTES]
    depth = 0
    for number, tag in enumerate(_TAG.finditer(body)):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
        if number >= MOST_TAGS or depth > MOST_DEEP:
            return body[: tag.start()]
    return body


# --- Recognition of pages that have the full text of an article as HTML, not only its abstract. Pure -----------------

_MUCH = 20_000  # characters of paragraphs: an article with any sections
_SOME = 12_000  # characters, with sections
_LEAST_BODY = 3_000  # characters of an `articleBody`
_LEAST_SECTIONS = 3
_MOST_HEADINGS = 300
_MOST_PARTS = 5_000  # elements with text
_LONGEST_HEADING = 60
_BLOCKS = ("p", "div")
_ASIDE = ("li", "nav", "footer", "aside", "header")
_PARTS = "|".join(f"(?P<{part}>{any_of(words)})" for part, words in load("headings")["sections"].items())
_SECTIONS = re.compile(rf"(?i)^[\W\d]{{0,12}}(?:[ivx]{{1,4}}\.\s{{1,3}})?(?:{_PARTS})")
_ARTICLE_BODY = re.compile(rf"\"articleBody\"\s{{0,9}}:\s{{0,9}}\"[^\"]{{{_LEAST_BODY}}}")


def is_article_page(page: PageTree, text: str) -> bool:
    """Return whether a page, given as a tree and as text, has the text of an article."""
    if _ARTICLE_BODY.search(text):
        return True
    paragraphs = _texts(page, "p")
    if sum(paragraphs) >= _MUCH:
        return True
    if len(_sections(page)) < _LEAST_SECTIONS:
        return False
    return sum(paragraphs) + sum(_texts(page, "div")) >= _SOME


def _texts(page: PageTree, name: str) -> list[int]:
    """Return the lengths of the texts of elements without inner blocks, outside lists and frames."""
    held = (
        element
        for element in islice(page.elements(name), _MOST_PARTS)
        if next(element.iterdescendants(*_BLOCKS), None) is None
    )
    return [sum(map(len, texts(element))) for element in held if around(element, *_ASIDE) is None]


def _sections(page: PageTree) -> set[str]:
    headings = islice(page.elements("h1", "h2", "h3", "h4", "h5"), _MOST_HEADINGS)
    matches = (_SECTIONS.match(words(heading)[:_LONGEST_HEADING]) for heading in headings)
    return {match.lastgroup for match in matches if match and match.lastgroup}
