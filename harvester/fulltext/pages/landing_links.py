"""The links of a page to the file of its work, the most likely first. Pure.

The order is that of success: tags of the head, known places of systems, scripts, and last the anchors. Anchors are
judged by the rule of Autoload (the text or the address says PDF) with lists of exceptions. An anchor whose text says
PDF, but not its address, leads to a further page. Files whose names are those of parts of a work come last.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.landing_anchors import anchored, spoken, words_of
from harvester.fulltext.pages.landing_work import OwnWork, PageLink, PageWork, file_name, is_part, joined, rewritten
from harvester.fulltext.pages.page_tree import PageTree, attribute
from harvester.http.urls import split

_PDF = "application/pdf"
_MOST_ANCHORS = 2000
_LONGEST_ADDRESS = 4096  # characters; no server accepts more
_LONGEST_JSON = 1500  # characters of the part of a script that names the file
_MOST_JSON = 50  # such parts of one page
_JSON = json.JSONDecoder()


def links(page: PageTree, text: str, named: Iterable[tuple[str, str]], work: PageWork) -> list[Copy]:
    """Return the copies that a page names, the most likely first.

    `named` are (name, content) pairs of tags of the head that name a file. Links to another article of the same
    publisher, to a licence or to a thumbnail are left out.
    """
    own = OwnWork(work)
    is_issue = bool(rules.ISSUE_ADDRESS.search(work.url)) or _is_issue(page, text)
    links_ = [
        *_named(named, work.base),
        *(() if is_issue else _known(page, text, own)),
        *_scripted(text, own),
        *(() if is_issue else anchored(page, own)),
        *_appended(text, work.url),
    ]
    whole = [link for link in links_ if _leads_on(link.copy.url, work.url) and own.admits(link)]
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


def _appended(text: str, url: str) -> Iterator[PageLink]:
    """Return the page's own address with `.pdf`, if the page mentions it."""
    address = split(url)._replace(query="", fragment="").geturl().rstrip("/") + ".pdf"
    if address in text:
        yield PageLink(Copy(address, mime_type=_PDF, evidence="address:.pdf"))


def _is_issue(page: PageTree, text: str) -> bool:
    """Return whether the page is an issue of a journal."""
    return rules.ISSUE_MARK in text and len(page.selected(rules.ISSUE)) > 1


def _leads_on(url: str, page: str) -> bool:
    return url.partition("#")[0] != page.partition("#")[0]
