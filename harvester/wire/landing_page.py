"""A page about a work, and which of its links leads to the file. Pure.

The order is that of yield: tags of the head, places that systems are known for, scripts, and last the anchors, by the
rule of Autoload (a link that says or names a PDF) with lists of what is something else. An anchor that says PDF and
does not name one leads to a further page. Nothing found here is believed: the bytes decide.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from bs4 import BeautifulSoup, NavigableString, Tag

from gateway.model import Outcome
from harvester.wire import landing_rules as rules
from harvester.wire.copies import Copy, without_repetitions
from harvester.wire.identifiers import dois_in
from harvester.wire.licenses import license_of, license_uri
from harvester.wire.links import Link, from_elements
from harvester.wire.page_limits import affordable
from harvester.wire.urls import host_of, split

_PDF = "application/pdf"
_MOST_HELD = 16  # pages that were read last: signposts and links are steps of their own, and ask for one page each
# Those that pages are written in; Python knows others that take hours.
_CHARSET = re.compile(
    r"(?i)\bcharset\s*=\s*[\"']?(utf-?8|iso-?8859-\d{1,2}|windows-125\d|koi8-[ru]|shift_jis|euc-\w\w|gb\w{1,5}|big5)\b"
)
_DECLARES = re.compile(rb"(?i)(?:charset|encoding)\s*=|^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)")
_MOST_BEFORE_DECLARED = 4096
_MOST_ANCHORS = 2000
_ASIDE = ("footer", "figure", "aside")
_MOST_IN_ANCHOR = 50  # elements and texts; one that was never closed holds the rest of the page
_MOST_NAMES = 100  # of classes that one element has
_LONGEST_SAID = 1000  # characters of a text or a name that are looked at
_MOST_ALIKE = 4  # as many anchors that read the same and lead elsewhere make a list of works, not a work's page
# As browsers read it; only what leads on within 99 seconds is meant for whoever has just come.
_REFRESH = re.compile(
    r"(?i)^\s*(?:\d{1,2}|(?=\.))(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(?:'([^']+)|\"([^\"]+)|([^'\"\s]\S*))"
)
# Second-level names that are registries' and nobody's own.
_REGISTRIES = frozenset(("ac", "co", "com", "edu", "gob", "gov", "gv", "go", "ne", "net", "or", "org"))


class Page(NamedTuple):
    """What a page tells. `outcome` is not None when the page stands in the way of the work's own."""

    title: str = ""
    doi: str = ""
    license: str = ""
    copies: tuple[Copy, ...] = ()
    links: tuple[Link, ...] = ()
    refresh: str = ""
    outcome: Outcome | None = None


@lru_cache(maxsize=_MOST_HELD)
def read(body: bytes, url: str, content_type: str = "") -> Page:
    """Return what the page at this address tells; a page that nobody can read tells nothing."""
    body = affordable(body)
    soup = BeautifulSoup(body, "lxml", from_encoding=_encoding(body, content_type))
    title = _title(soup)
    outcome = obstacle(url, title)
    if outcome is not None:
        return Page(title=title, outcome=outcome)
    tags = _tags(soup)
    base = _based(soup, url)
    text = body.decode("utf-8", "replace")
    stated = next(filter(license_of, _stated_licenses(soup, tags)), "")
    license_, address = license_of(stated), license_uri(stated)
    found = [
        *_named(tags, base),
        *_known(soup, text, base),
        *_scripted(text, base),
        *_anchored(soup, text, base),
        *_appended(text, url),
    ]
    own = [copy._replace(license=license_, license_url=address) for copy in found if _leads_on(copy.url, url)]
    return Page(
        title=next(iter(_of(tags, rules.TITLE_TAGS)), title),
        doi=next((doi for stated_doi in _of(tags, rules.DOI_TAGS) for doi in dois_in(stated_doi)), ""),
        license=license_,
        copies=without_repetitions(own),
        links=from_elements(({k: _attribute(each, k) for k in each.attrs} for each in soup.find_all("link")), base),
        refresh=_refresh(tags, base),
    )


def obstacle(url: str, title: str) -> Outcome | None:
    """Return what stands in the way, when a page at this address with this title is none of a work."""
    told = {"url": url, "title": title}
    return next((outcome for part, pattern, outcome in rules.OBSTACLES if pattern.search(told[part])), None)


def site_of(url: str) -> str:
    """Return the name that a site is registered by, near enough: its last two labels, or three below a registry."""
    labels = host_of(url).rstrip(".").split(".")
    is_below_registry = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _REGISTRIES  # noqa: PLR2004
    return ".".join(labels[-3:] if is_below_registry else labels[-2:])


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


def _title(soup: BeautifulSoup) -> str:
    return soup.title.get_text(" ", strip=True) if soup.title else ""


def _attribute(tag: Tag, name: str) -> str:
    value = tag.get(name)
    return " ".join(value[:_MOST_NAMES]) if isinstance(value, list) else value or ""


def _tags(soup: BeautifulSoup) -> list[tuple[str, str]]:
    """Return (name, content) of the meta tags, whichever attribute they are named by."""
    named = (
        (tag, _attribute(tag, "name") or _attribute(tag, "property") or _attribute(tag, "http-equiv"))
        for tag in soup.find_all("meta")
    )
    return [(name.strip().lower(), _attribute(tag, "content").strip()) for tag, name in named if name]


def _of(tags: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    return [content for wanted in names for name, content in tags if name == wanted and content]


def _based(soup: BeautifulSoup, url: str) -> str:
    return next((_joined(url, _attribute(base, "href")) for base in soup.find_all("base", href=True)), "") or url


def _refresh(tags: list[tuple[str, str]], base: str) -> str:
    found = (_REFRESH.match(content) for content in _of(tags, ("refresh",)))
    return next((_joined(base, match[match.lastindex or 0]) for match in found if match), "")


def _stated_licenses(soup: BeautifulSoup, tags: list[tuple[str, str]]) -> Iterator[str]:
    """Return what the page says of the licence of its work; what it says of the site, or of a picture, is left out."""
    stated = soup.find_all(("link", "a"), rel="license")
    yield from (_attribute(tag, "href") for tag in stated if not (tag.find_parent(_ASIDE) or _is_elsewhere(tag)))
    yield from _of(tags, rules.LICENSE_TAGS)


def _named(tags: list[tuple[str, str]], base: str) -> Iterator[Copy]:
    for name in rules.PDF_TAGS:
        for content in _of(tags, (name,)):
            url = _joined(base, content)
            if not any(liar.search(url) for liar in rules.LYING_TAGS):
                yield Copy(_rewritten(url), mime_type=_PDF, evidence=f"meta:{name}")


# --- the body -----------------------------------------------------------------------------------------------------


def _known(soup: BeautifulSoup, text: str, base: str) -> Iterator[Copy]:
    for platform in (each for each in rules.PLATFORMS if each.mark in text):
        for tag in soup.select(platform.selector):
            address = _attribute(tag, platform.attribute)
            if not rules.NOT_IN_ADDRESS.search(address):
                yield Copy(_rewritten(_joined(base, address)), mime_type=_PDF, evidence=f"platform:{platform.name}")


def _scripted(text: str, base: str) -> Iterator[Copy]:
    for pattern, seen in rules.SCRIPTS:
        for match in pattern.finditer(text):
            address = html.unescape(match[1].replace("\\/", "/").replace("\\u002F", "/"))
            yield Copy(_rewritten(_joined(base, address)), mime_type=_PDF, evidence=f"script:{seen}")


def _appended(text: str, url: str) -> Iterator[Copy]:
    """Return the page's own address with `.pdf`, where the page speaks of it."""
    address = split(url)._replace(query="", fragment="").geturl().rstrip("/") + ".pdf"
    if address in text:
        yield Copy(address, mime_type=_PDF, evidence="address:.pdf")


class _Anchor(NamedTuple):
    url: str
    text: str
    names_pdf: bool
    score: int


def _anchored(soup: BeautifulSoup, text: str, base: str) -> list[Copy]:
    """Return the anchors that the rule of Autoload takes, the likeliest first; none of a list of works."""
    anchors = [anchor for tag in soup.find_all("a", href=True, limit=_MOST_ANCHORS) if (anchor := _anchor(tag, base))]
    if _is_issue(soup, text) or _is_list(anchors):
        return []
    anchors.sort(key=lambda anchor: -anchor.score)
    files = [each for each in anchors if each.names_pdf]
    pages = [each for each in anchors if not each.names_pdf]
    return [
        *(Copy(_rewritten(each.url), mime_type=_PDF, evidence=f"anchor:{each.text[:60]}") for each in files),
        *(Copy(_rewritten(each.url), is_page=True, evidence=f"anchor:{each.text[:60]}") for each in pages),
    ]


def _anchor(tag: Tag, base: str) -> _Anchor | None:
    """Return an anchor that says or names a PDF of the work on this site; None for all others."""
    address, text = _attribute(tag, "href").strip(), _said(tag)
    url = _joined(base, address)
    names, says = bool(rules.NAMES_PDF.search(url)), bool(rules.SAYS_PDF.search(text))
    if not (names or says) or site_of(url) != site_of(base):
        return None
    if rules.NOT_IN_ADDRESS.search(address) or rules.NOT_IN_TEXT.search(text) or _is_elsewhere(tag):
        return None
    return _Anchor(url, text, names, 2 * names + says + 2 * bool(rules.PLAIN.fullmatch(text)))


def _said(tag: Tag) -> str:
    """Return what an anchor says, in words, titles and pictures: at the beginning of what it holds."""
    held = list(islice(tag.descendants, _MOST_IN_ANCHOR))
    pictures = [each for each in held if isinstance(each, Tag) and each.name == "img"]
    drawn = [_attribute(each, name) for each in pictures for name in ("alt", "title", "src", "class")]
    written = [each.strip() for each in held if type(each) is NavigableString]
    return " ".join(filter(None, [*written, _attribute(tag, "title"), *drawn]))[:_LONGEST_SAID]


def _is_elsewhere(tag: Tag) -> bool:
    """Tell whether an anchor stands in a part of the page that tells of other works."""
    return any(
        rules.ELSEWHERE.search(f"{_attribute(each, 'id')[:_LONGEST_SAID]} {_attribute(each, 'class')[:_LONGEST_SAID]}")
        for each in tag.parents
        if each.name not in ("body", "html", "[document]")
    )


def _is_issue(soup: BeautifulSoup, text: str) -> bool:
    """Tell whether the page is an issue of a journal."""
    return rules.ISSUE_MARK in text and len(soup.select(rules.ISSUE)) > 1


def _is_list(anchors: list[_Anchor]) -> bool:
    """Tell whether the page is about several works, as the proceedings of a conference are."""
    texts = [anchor.text.lower() for anchor in {anchor.url: anchor for anchor in anchors}.values()]
    return any(texts.count(text) >= _MOST_ALIKE for text in set(texts))


# --- addresses ----------------------------------------------------------------------------------------------------


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:  # `http://[`
        return ""


def _rewritten(url: str) -> str:
    for pattern, replacement, _ in rules.REWRITES:
        url = pattern.sub(replacement, url)
    viewed = rules.VIEWER.search(url)
    return _joined(url, unquote(viewed[1])) if viewed else url


def _leads_on(url: str, page: str) -> bool:
    return url.partition("#")[0] != page.partition("#")[0]
