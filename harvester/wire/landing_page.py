"""A page about a work, and which of its links leads to the file. Pure.

What the page says of its work, its links to the file (`landing_links`), and what stands in the way. Nothing found here
is believed: the bytes decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from gateway.model import Outcome
from harvester.wire import landing_rules as rules
from harvester.wire.access import open_from_words
from harvester.wire.article_page import is_article_page
from harvester.wire.copies import IS_ARTICLE, Copy, without_repetitions
from harvester.wire.identifiers import dois_in
from harvester.wire.landing_links import Work, joined, links
from harvester.wire.links import Link, from_elements
from harvester.wire.page_license import terms_of
from harvester.wire.page_limits import affordable
from harvester.wire.page_tree import PageTree, attribute

_MOST_HELD = 16  # pages that were read last: signposts and links are steps of their own, and ask for one page each
# Those that pages are written in; Python knows others that take hours.
_CHARSET = re.compile(
    r"(?i)\bcharset\s*=\s*[\"']?(utf-?8|iso-?8859-\d{1,2}|windows-125\d|koi8-[ru]|shift_jis|euc-\w\w|gb\w{1,5}|big5)\b"
)
_DECLARES = re.compile(rb"(?i)(?:charset|encoding)\s*=|^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)")
_MOST_BEFORE_DECLARED = 4096
# As browsers read it; only what leads on within 99 seconds is meant for whoever has just come.
_REFRESH = re.compile(
    r"(?i)^\s*(?:\d{1,2}|(?=\.))(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(?:'([^']+)|\"([^\"]+)|([^'\"\s]\S*))"
)


class Page(NamedTuple):
    """What a page tells. `outcome` is not None when the page stands in the way of the work's own.

    `copies` are PDFs, and pages that lead to them; `full_texts` the text in another form, as XML or as a page. The page
    itself is among them when it `is_article`.
    `open_from` is the day before which the file may not be had.
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


@lru_cache(maxsize=_MOST_HELD)
def read(body: bytes, url: str, content_type: str = "") -> Page:
    """Return what the page at this address tells; a page that nobody can read tells nothing."""
    body = affordable(body)
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
    terms = terms_of(tree, tags, url, stated_title, doi)
    named = [(name, content) for name in rules.PDF_TAGS for content in _of(tags, (name,))]
    found = links(tree, text, named, Work(url, base, doi, own_title))
    is_article = is_article_page(tree, text)
    own = [copy._replace(**terms._asdict()) for copy in found]
    open_from = terms.open_from or ("" if found or is_article else _embargo(tree, text))
    return Page(
        title=own_title,
        doi=doi,
        license=terms.license,
        copies=without_repetitions(own),
        links=from_elements(({k: attribute(each, k) for k in each.attrs} for each in tree.elements("link")), base),
        refresh=_refresh(tags, base) or _redirected(tree, text, base),
        full_texts=_full_texts(tags, url, base, is_article=is_article),
        is_article=is_article,
        open_from=open_from,
    )


def obstacle(url: str, title: str) -> Outcome | None:
    """Return what stands in the way, when a page at this address with this title is none of a work."""
    told = {"url": url, "title": title}
    return next((outcome for part, pattern, outcome in rules.OBSTACLES if pattern.search(told[part])), None)


def _encoding(body: bytes, content_type: str) -> str | None:
    """Return what a page is written in as its server says it, or UTF-8 where nobody says anything; None: it says so."""
    stated = _CHARSET.search(content_type)
    name = stated[1] if stated else "" if _DECLARES.search(body[:_MOST_BEFORE_DECLARED]) else "utf-8"
    try:
        body.decode(name)
    except (LookupError, ValueError):
        return None
    return name


# --- the head -----------------------------------------------------------------------------------------------------


def _title(tree: PageTree) -> str:
    return next((each.get_text(" ", strip=True) for each in tree.elements("title")), "")


def _tags(tree: PageTree) -> list[tuple[str, str]]:
    """Return (name, content) of the meta tags, whichever attribute they are named by."""
    named = (
        (tag, attribute(tag, "name") or attribute(tag, "property") or attribute(tag, "http-equiv"))
        for tag in tree.elements("meta")
    )
    return [(name.strip().lower(), attribute(tag, "content").strip()) for tag, name in named if name]


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _based(tree: PageTree, url: str) -> str:
    bases = (attribute(base, "href") for base in tree.elements("base") if base.has_attr("href"))
    return next((joined(url, base) for base in bases), "") or url


def _refresh(tags: list[tuple[str, str]], base: str) -> str:
    found = (_REFRESH.match(content) for content in _of(tags, ("refresh",)))
    return next((joined(base, match[match.lastindex or 0]) for match in found if match), "")


def _redirected(tree: PageTree, text: str, base: str) -> str:
    """Return where a page leads on by a script, as the value of a field says."""
    fields = tree.soup.select(rules.REDIRECT_FIELD, limit=1) if rules.REDIRECT_MARK in text else []
    return next((joined(base, unquote(attribute(field, "value"))) for field in fields), "")


def _full_texts(tags: list[tuple[str, str]], url: str, base: str, *, is_article: bool) -> tuple[Copy, ...]:
    """Return the full text in other forms; of a page that names itself only what its text shows is believed."""
    own = [Copy(url, mime_type="text/html", evidence=IS_ARTICLE)] if is_article else []
    stated = [
        Copy(joined(base, content), mime_type=mime_type, evidence=f"meta:{name}")
        for name, mime_type in rules.FULL_TEXT_TAGS
        for content in _of(tags, (name,))
    ]
    page = url.partition("#")[0]
    return without_repetitions([*own, *(copy for copy in stated if copy.url.partition("#")[0] != page)])


def _embargo(tree: PageTree, text: str) -> str:
    """Return the day that a page without a file gives as the end of an embargo, or none."""
    return open_from_words(tree.soup.get_text(" ")) if "mbargo" in text else ""
