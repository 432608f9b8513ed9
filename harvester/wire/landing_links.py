"""The links of a page that lead to the file of its work, the likeliest first. Pure.

The order is that of yield: tags of the head, places that systems are known for, scripts, and last the anchors, by the
rule of Autoload (a link that says or names a PDF) with lists of what is something else. An anchor that says PDF and
does not name one leads to a further page. Whatever a file's name calls a part of the work comes behind all others.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from bs4 import NavigableString, Tag

from harvester.wire import landing_rules as rules
from harvester.wire.copies import Copy
from harvester.wire.identifiers import dois_in
from harvester.wire.page_tree import PageTree, attribute
from harvester.wire.urls import site_of, split

_PDF = "application/pdf"
_MOST_ANCHORS = 2000
_MOST_IN_ANCHOR = 50  # elements and texts; one that was never closed holds the rest of the page
_LONGEST_SAID = 1000  # characters of a text or a name that are looked at
_LONGEST_ADDRESS = 4096  # characters; no server takes more
_MOST_ALIKE = 4  # as many anchors that read the same and lead elsewhere make a list of works, not a work's page
_MUCH_LIKELIER = 2  # an anchor's score over another's, by which a page comes before a file
_BARE = 2  # the score of an anchor whose address names a PDF, and that has nothing else of the work
_MOST_WORDS = 40  # of a title
_LEAST_WORDS = 2  # of a title that are a title's when they are met again
_ARTICLE = frozenset(("article", "main"))
_LONGEST_JSON = 1500  # characters of the part of a script that names the file
_MOST_JSON = 50  # such parts of one page

_JSON = json.JSONDecoder()
_WORD = re.compile(r"[^\W\d_]{4,40}")


class Work(NamedTuple):
    """What is known of the work that a page is about: the page's address, its base, the DOI and the title."""

    url: str
    base: str
    doi: str = ""
    title: str = ""


class _Link(NamedTuple):
    """A copy, and what the page says of it."""

    copy: Copy
    text: str = ""


def links(page: PageTree, text: str, named: Iterable[tuple[str, str]], work: Work) -> list[Copy]:
    """Return the copies that a page names, the likeliest first.

    `named` are the names and contents of those tags of the head that name a file. A link to another article of the same
    publisher, to a licence or to a thumbnail is left out.
    """
    own = _Own(work)
    is_issue = bool(rules.ISSUE_ADDRESS.search(work.url)) or _is_issue(page, text)
    found = [
        *_named(named, work.base),
        *(() if is_issue else _known(page, text, own)),
        *_scripted(text, own),
        *(() if is_issue else _anchored(page, own)),
        *_appended(text, work.url),
    ]
    whole = [link for link in found if _leads_on(link.copy.url, work.url) and own.admits(link)]
    return [link.copy for link in sorted(whole, key=_is_part)]


def joined(base: str, address: str) -> str:
    """Return an address of a page in full; empty when it is none."""
    try:
        return urljoin(base, address.strip())
    except ValueError:  # `http://[`
        return ""


def is_elsewhere(tag: Tag) -> bool:
    """Tell whether an element stands in a part of the page that tells of other works."""
    return _stands_in(tag, rules.ELSEWHERE)


# --- the work -----------------------------------------------------------------------------------------------------


class _Own:
    """What makes an address one of the page's own work, or of another one."""

    def __init__(self, work: Work) -> None:
        self.work = work
        in_address = (rules.BEHIND_DOI.sub("", doi) for doi in dois_in(_plain(work.url)))
        self.dois = {work.doi, *in_address} - {""}
        self.registrants = {doi.partition("/")[0] for doi in self.dois}
        parts = split(work.url)
        self.may_name_pdf = bool(rules.MAY_NAME_PDF.search(work.base))
        self.path = f"{parts.netloc}{rules.FORMS.sub('', parts.path).rstrip('/')}".lower()
        self.numbers = {number.lower() for number in rules.NUMBERS.findall(f"{parts.path}?{parts.query}")}
        self.words = set(islice((word.lower() for word in _WORD.findall(work.title)), _MOST_WORDS))

    def admits(self, link: _Link) -> bool:
        """Tell whether a link may lead to the work: to no other article, no licence, no picture of a page."""
        address = _plain(link.copy.url)
        is_never = rules.NEVER.search(address) or (rules.NEVER.search(link.text) and not self.is_titled(link.text))
        if is_never or split(address).path in ("", "/"):
            return False
        if any(doi in address.lower() for doi in self.dois):
            return True
        return not any(doi.partition("/")[0] in self.registrants for doi in dois_in(address))

    def names(self, url: str) -> bool:
        """Tell whether an address has the DOI of the work, begins as the page's, or has its number."""
        address = _plain(url).lower()
        is_numbered = not self.numbers.isdisjoint(rules.NUMBERS.findall(address))
        return self.begins(url) or is_numbered or any(doi in address for doi in self.dois)

    def begins(self, url: str) -> bool:
        """Tell whether an address begins as the page's: a number may be that of the journal."""
        address = _plain(url).lower().partition("://")[2]
        return address.startswith(self.path) and len(self.path) > len(split(url).netloc)

    def is_titled(self, text: str) -> bool:
        """Tell whether a text, or the name of a file, has the words of the title."""
        words = {word.lower() for word in _WORD.findall(text)}
        return len(words & self.words) >= max(_LEAST_WORDS, len(self.words) / 2)


def _plain(address: str) -> str:
    return unquote(address[:_LONGEST_ADDRESS])


def _file_name(url: str) -> str:
    """Return what an address calls its file: the last part of its path, and the question."""
    parts = split(url)
    return f"{_plain(parts.path).rstrip('/').rpartition('/')[2]}?{_plain(parts.query)}"


def _is_part(link: _Link) -> bool:
    """Tell whether a file is, by its name, only a part of the work or what accompanies it."""
    return bool(rules.PART.search(_file_name(link.copy.url)) or rules.PART.search(link.text))


# --- the head and the body ----------------------------------------------------------------------------------------


def _named(named: Iterable[tuple[str, str]], base: str) -> Iterator[_Link]:
    for name, content in named:
        url = joined(base, content)
        if not any(liar.search(url) for liar in rules.LYING_TAGS):
            yield _Link(Copy(_rewritten(url), mime_type=_PDF, evidence=f"meta:{name}"))


def _known(page: PageTree, text: str, own: _Own) -> Iterator[_Link]:
    for platform in (each for each in rules.PLATFORMS if each.mark in text):
        found = []
        for tag in page.soup.select(platform.selector, limit=_MOST_ANCHORS):
            address = attribute(tag, platform.attribute)
            if not rules.NOT_IN_ADDRESS.search(address[:_LONGEST_ADDRESS]):
                url = joined(own.work.base, address)
                copy = Copy(_rewritten(url), mime_type=_PDF, evidence=f"platform:{platform.name}")
                found.append((own.names(url), _Link(copy, _said(*_words(tag)))))
        yield from (link for _, link in sorted(found, key=_likeliness))


def _likeliness(found: tuple[bool, _Link]) -> tuple[bool, bool]:
    is_own, link = found
    return not is_own, not rules.WHOLE.search(f"{_file_name(link.copy.url)} {link.text}")


def _scripted(text: str, own: _Own) -> Iterator[_Link]:
    yield from sorted(_of_elsevier(text, own.work.base), key=lambda link: not own.names(link.copy.url))
    for pattern, seen in rules.SCRIPTS:
        for match in pattern.finditer(text):
            address = html.unescape(match[1].replace("\\/", "/").replace("\\u002F", "/"))
            url, is_page = _rewritten(joined(own.work.base, address)), bool(rules.FRAMES.search(address))
            yield _Link(Copy(url, is_page, "" if is_page else _PDF, evidence=f"script:{seen}"))


def _of_elsevier(text: str, base: str) -> Iterator[_Link]:
    """Return the addresses that ScienceDirect has in pieces."""
    for match in islice(rules.PDF_DOWNLOAD.finditer(text), _MOST_JSON):
        try:
            told, _ = _JSON.raw_decode(text[match.start(1) : match.start(1) + _LONGEST_JSON])
            where = told["urlMetadata"]
            pieces = [where[name] for name in ("path", "pii", "pdfExtension")]
            signed = [where["queryParams"][name] for name in ("md5", "pid")]
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if all(isinstance(each, str) and each for each in (*pieces, *signed)):
            address = f"/{pieces[0].strip('/')}/{pieces[1]}{pieces[2]}?md5={signed[0]}&pid={signed[1]}"
            yield _Link(Copy(joined(base, address), mime_type=_PDF, evidence="script:sciencedirect.com"))


def _appended(text: str, url: str) -> Iterator[_Link]:
    """Return the page's own address with `.pdf`, where the page speaks of it."""
    address = split(url)._replace(query="", fragment="").geturl().rstrip("/") + ".pdf"
    if address in text:
        yield _Link(Copy(address, mime_type=_PDF, evidence="address:.pdf"))


# --- the anchors --------------------------------------------------------------------------------------------------


class _Anchor(NamedTuple):
    url: str
    text: str
    names_pdf: bool
    score: int
    is_the_article: bool  # it says so, or has the DOI of the work


def _anchored(page: PageTree, own: _Own) -> list[_Link]:
    """Return the anchors that the rule of Autoload takes, the likeliest first.

    Of a list of works none is taken, but the one that says that it is the article.
    """
    tags = (tag for tag in page.elements("a") if tag.get("href") is not None)
    found = (_anchor(tag, own) for tag in islice(tags, _MOST_ANCHORS))
    anchors = [anchor for anchor in found if anchor]
    if _is_list(anchors):
        anchors = [anchor for anchor in anchors if anchor.is_the_article]
        anchors = anchors if len({anchor.url for anchor in anchors}) == 1 else []
    anchors.sort(key=lambda anchor: -anchor.score)
    best_page = max((anchor.score for anchor in anchors if not anchor.names_pdf), default=0)
    anchors = [anchor for anchor in anchors if not anchor.names_pdf or _is_likely(anchor, best_page)]
    return [
        *(_Link(_copy(each), each.text) for each in anchors if each.names_pdf),
        *(_Link(_copy(each), each.text) for each in anchors if not each.names_pdf),
    ]


def _is_likely(anchor: _Anchor, best_page: int) -> bool:
    """Tell whether a link to a file is likelier than the best one to a page: one that only names a PDF never is."""
    return anchor.score > (max(best_page - _MUCH_LIKELIER, _BARE) if best_page else best_page - _MUCH_LIKELIER)


def _copy(anchor: _Anchor) -> Copy:
    is_page, evidence = not anchor.names_pdf, f"anchor:{anchor.text[:60]}"
    return Copy(anchor.url, is_page, "" if is_page else _PDF, evidence=evidence)


def _anchor(tag: Tag, own: _Own) -> _Anchor | None:
    """Return an anchor that says or names a PDF of the work on this site; None for all others."""
    address = attribute(tag, "href").strip()
    written, drawn = _words(tag)
    text = _said(written, drawn)
    if len(address) > _LONGEST_ADDRESS:
        return None
    says = bool(rules.SAYS_PDF.search(text))
    if not (says or own.may_name_pdf or rules.MAY_NAME_PDF.search(address)):
        return None
    there = joined(own.work.base, address)
    url = _rewritten(there)
    names = bool(rules.NAMES_PDF.search(url) or (says and rules.GALLEY.search(url)))
    is_other = bool(rules.OTHER_FORM.search(url)) and not names
    if not (names or says) or is_other or site_of(url) != site_of(own.work.base):
        return None
    is_titled = own.is_titled(f"{text} {_file_name(url)}")
    is_something_else = rules.NOT_IN_TEXT.search(written) and not is_titled
    if rules.NOT_IN_ADDRESS.search(address) or is_something_else or is_elsewhere(tag):
        return None
    is_part = _is_part(_Link(Copy(url), text))
    gains = 2 * names + says + 2 * bool(rules.PLAIN.fullmatch(text)) + 2 * (own.names(there) or own.names(url))
    gains += own.begins(there) + 2 * is_titled + bool(rules.WHOLE.search(f"{_file_name(url)} {text}"))
    has_doi = any(doi in _plain(url).lower() for doi in own.dois)
    is_the_article = names and (has_doi or bool(rules.THE_ARTICLE.search(text)))
    return _Anchor(url, text, names, gains - 4 * is_part - 3 * _is_in_menu(tag), is_the_article)


def _said(written: str, drawn: list[str]) -> str:
    """Return what an anchor says, in words, titles and pictures."""
    return " ".join(filter(None, [written, *drawn]))[:_LONGEST_SAID]


def _words(tag: Tag) -> tuple[str, list[str]]:
    """Return the words of an anchor, its title's and its pictures', and what names the pictures.

    Only the beginning of what it holds is looked at.
    """
    words, pictures = [], []
    for each in islice(tag.descendants, _MOST_IN_ANCHOR):
        if type(each) is NavigableString:
            words.append(each.strip())
        elif isinstance(each, Tag) and each.name == "img":
            pictures.append(each)
    spoken = [attribute(each, name) for each in pictures for name in ("alt", "title")]
    drawn = [attribute(each, name) for each in pictures for name in ("src", "class")]
    texts = dict.fromkeys(filter(None, [*words, attribute(tag, "title"), *spoken]))  # a title often repeats the words
    return " ".join(texts)[:_LONGEST_SAID], drawn


def _is_in_menu(tag: Tag) -> bool:
    """Tell whether an element stands in what every page of a site has; the head of an article is none of it."""
    elements = {each.name for each in tag.parents}
    return "nav" in elements or ("header" in elements and not elements & _ARTICLE) or _stands_in(tag, rules.MENU)


def _stands_in(tag: Tag, names: re.Pattern[str]) -> bool:
    return any(
        names.search(f"{attribute(each, 'id')[:_LONGEST_SAID]} {attribute(each, 'class')[:_LONGEST_SAID]}")
        for each in tag.parents
        if each.name not in ("body", "html", "[document]")
    )


def _is_issue(page: PageTree, text: str) -> bool:
    """Tell whether the page is an issue of a journal."""
    return rules.ISSUE_MARK in text and len(page.soup.select(rules.ISSUE)) > 1


def _is_list(anchors: list[_Anchor]) -> bool:
    """Tell whether the page is about several works, as the proceedings of a conference are."""
    different = {anchor.url: anchor for anchor in anchors}.values()
    texts = [anchor.text.lower() for anchor in different]
    if any(texts.count(text) >= _MOST_ALIKE for text in set(texts)):
        return True
    scores = [anchor.score for anchor in different if anchor.names_pdf]
    return bool(scores) and scores.count(max(scores)) >= _MOST_ALIKE


# --- addresses ----------------------------------------------------------------------------------------------------


def _rewritten(url: str) -> str:
    url = url[:_LONGEST_ADDRESS]
    for pattern, replacement, _ in rules.REWRITES:
        url = pattern.sub(replacement, url)
    viewed = rules.VIEWER.search(url)
    return joined(url, unquote(viewed[1])) if viewed else url


def _leads_on(url: str, page: str) -> bool:
    return url.partition("#")[0] != page.partition("#")[0]
