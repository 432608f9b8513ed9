"""Tests whether an address on a page belongs to the work of the page, or to another one. Pure."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from gateway.core.bibliography.identifiers import dois_in
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.http.urls import split

_LONGEST_ADDRESS = 4096  # characters; no server accepts more
_MOST_WORDS = 40  # of a title
_LEAST_WORDS = 2  # of a title, to recognise it again
_WORD = re.compile(r"[^\W\d_]{4,40}")


class PageWork(NamedTuple):
    """The work of a page: the address and base of the page, the DOI and the title."""

    url: str
    base: str
    doi: str = ""
    title: str = ""


class PageLink(NamedTuple):
    """A copy, and the text of its link."""

    copy: Copy
    text: str = ""


class OwnWork:
    """The signs by which an address belongs to the page's own work."""

    def __init__(self, work: PageWork) -> None:
        self.work = work
        in_address = (rules.BEHIND_DOI.sub("", doi) for doi in dois_in(plain(work.url)))
        self.dois = {work.doi, *in_address} - {""}
        self.registrants = {doi.partition("/")[0] for doi in self.dois}
        parts = split(work.url)
        self.may_name_pdf = bool(rules.MAY_NAME_PDF.search(work.base))
        self.path = f"{parts.netloc}{rules.FORMS.sub('', parts.path).rstrip('/')}".lower()
        self.numbers = {number.lower() for number in rules.NUMBERS.findall(f"{parts.path}?{parts.query}")}
        self.words = set(islice((word.lower() for word in _WORD.findall(work.title)), _MOST_WORDS))

    def admits(self, link: PageLink) -> bool:
        """Return whether a link may lead to the work, not to another article, a licence or a picture."""
        address = plain(link.copy.url)
        texts = (address, "" if self.is_titled(link.text) else link.text)
        is_never = any(rules.NEVER.search(text) or rules.SUPPLEMENT_ADDRESS.search(text) for text in texts)
        return not is_never and split(address).path not in ("", "/") and self.is_of_work(address)

    def is_of_work(self, url: str) -> bool:
        """Return whether an address has the DOI of the work, or none of another article of its publisher."""
        address = plain(url).lower()
        if any(doi in address for doi in self.dois):
            return True
        return not any(doi.partition("/")[0] in self.registrants for doi in dois_in(address))

    def names(self, url: str) -> bool:
        """Return whether an address has the DOI of the work, begins like that of the page, or has its number."""
        address = plain(url).lower()
        is_numbered = not self.numbers.isdisjoint(rules.NUMBERS.findall(address))
        return self.begins(url) or is_numbered or any(doi in address for doi in self.dois)

    def begins(self, url: str) -> bool:
        """Return whether an address begins like that of the page; a number alone may be that of the journal."""
        address = plain(url).lower().partition("://")[2]
        return address.startswith(self.path) and len(self.path) > len(split(url).netloc)

    def is_titled(self, text: str) -> bool:
        """Return whether a text, or the name of a file, has the words of the title."""
        words = {word.lower() for word in _WORD.findall(text)}
        return len(words & self.words) >= max(_LEAST_WORDS, len(self.words) / 2)


def plain(address: str) -> str:
    """Return an address without percent-encoding, cut after 4,096 characters."""
    return unquote(address[:_LONGEST_ADDRESS])


def file_name(url: str) -> str:
    """Return the name of the file in an address: the last part of its path, and the query."""
    parts = split(url)
    return f"{plain(parts.path).rstrip('/').rpartition('/')[2]}?{plain(parts.query)}"


def is_part(link: PageLink) -> bool:
    """Return whether a file is, by its name, only a part of the work or a supplement."""
    return bool(rules.PART.search(file_name(link.copy.url)) or rules.PART.search(link.text))


def joined(base: str, address: str) -> str:
    """Return an absolute address; empty when it is invalid."""
    try:
        return urljoin(base, address.strip())
    except ValueError:  # `http://[`
        return ""


def rewritten(url: str) -> str:
    """Return the address of the file if an address leads to its viewer; else the address."""
    url = url[:_LONGEST_ADDRESS]
    for pattern, replacement, _ in rules.REWRITES:
        url = pattern.sub(replacement, url)
    viewed = rules.VIEWER.search(url)
    return joined(url, unquote(viewed[1])) if viewed else url
