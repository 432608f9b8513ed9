"""Reader of a page about a work. Pure.

It returns statements about the work, links to the file (`landing_links`), and obstacles. All of these are claims: the
bytes of the file decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from gateway.model import Outcome
from harvester.fulltext.identifiers import dois_in
from harvester.fulltext.known_copies import IS_ARTICLE, Copy, without_repetitions
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.article_page import is_article_page
from harvester.fulltext.pages.landing_links import links
from harvester.fulltext.pages.landing_work import PageWork, joined
from harvester.fulltext.pages.page_files import PageFiles
from harvester.fulltext.pages.page_license import NO_TERMS, PageTerms, Terms, terms_of
from harvester.fulltext.pages.page_limits import affordable
from harvester.fulltext.pages.page_tree import PageTree, attribute, attributes, words
from harvester.fulltext.pages.utf16 import as_utf8
from harvester.http.links import Link, from_elements

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
    `is_article`. `open_from` is the day on which the file becomes available. `terms` are all terms of its files,
    and `page_terms` those of each file.
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


@lru_cache(maxsize=_MOST_HELD)
def read(body: bytes, url: str, content_type: str = "") -> Page:
    """Return the content of the page at this address; an unreadable page has none. Never raise an error."""
    if (in_utf8 := as_utf8(body)) is not body:
        content_type = "text/html; charset=utf-8"
    body = affordable(in_utf8)
    tree = PageTree(body, _encoding(body, content_type))
    title = _title(tree)
    outcome = obstacle(url, title)
    if outcome is not None:
        return Page(title=title, outcome=outcome)
    tags = _tags(tree)
    base = _based(tree, url)
    text = body.decode("utf-8", "replace")
    doi = next((doi for stated_doi in _of(tags, rules.DOI_TAGS) for doi in dois_in(stated_doi)), "")
    stated_title = next(iter(_of(tags, rules.TITLE_TAGS)), "")
    own_title = stated_title or title
    named = [(name, content) for name in rules.PDF_TAGS for content in _of(tags, (name,))]
    links_ = links(tree, text, named, PageWork(url, base, doi, own_title))
    files = PageFiles(tree, base, (copy.url for copy in links_))
    page_terms = terms_of(tree, tags, url, files, stated_title, doi)
    terms = page_terms.terms
    is_article = is_article_page(tree, text)
    own = [copy._replace(**page_terms.of(copy.url)._asdict()) for copy in links_]
    return Page(
        title=own_title,
        doi=doi,
        license=terms.license,
        copies=without_repetitions(own),
        links=from_elements((attributes(element) for element in tree.elements("link")), base),
        refresh=_refresh(tags, base) or _redirected(tree, text, base),
        full_texts=_full_texts(tags, url, base, is_article=is_article),
        is_article=is_article,
        open_from=terms.open_from,
        terms=terms,
        page_terms=page_terms,
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


def _title(tree: PageTree) -> str:
    return next(map(words, tree.elements("title")), "")


def _tags(tree: PageTree) -> list[tuple[str, str]]:
    """Return (name, content) of the meta tags, named by any attribute."""
    named = (
        (tag, attribute(tag, "name") or attribute(tag, "property") or attribute(tag, "http-equiv"))
        for tag in tree.elements("meta")
    )
    return [(name.strip().lower(), attribute(tag, "content").strip()) for tag, name in named if name]


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _based(tree: PageTree, url: str) -> str:
    bases = (attribute(base, "href") for base in tree.elements("base") if "href" in base.attrib)
    return next((joined(url, base) for base in bases), "") or url


def _refresh(tags: list[tuple[str, str]], base: str) -> str:
    matches = (_REFRESH.match(content) for content in _of(tags, ("refresh",)))
    return next((joined(base, match[match.lastindex or 0]) for match in matches if match), "")


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
