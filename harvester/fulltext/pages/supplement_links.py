"""The links of a page to supplements of its work. Pure.

A link counts if its text begins with a word for one, or its address has a form that publishers give to them, and if it
leads to a file of this work. A link that may lead to the work itself is never one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pages import landing_rules as rules
from harvester.fulltext.pages.landing_links import is_elsewhere, words_of
from harvester.fulltext.pages.landing_work import OwnWork, PageWork, file_name, joined, plain
from harvester.fulltext.pages.page_tree import PageTree, attribute
from harvester.http.urls import site_of

_MOST_ANCHORS = 2000
_MOST = 50  # of one page


def supplements(page: PageTree, work: PageWork, files: Collection[str]) -> tuple[Copy, ...]:
    """Return the supplements to which a page links, in its order; `files` are the addresses of the files that it names.

    Each has these as `beside`.
    """
    texts: dict[str, str] = {}
    for url, text in _found(page, OwnWork(work)):
        if url not in files:
            texts.setdefault(url, text)
    return tuple(
        Copy(url, evidence=f"supplement:{text[:60]}", is_supplement=True, beside=tuple(files))
        for url, text in islice(texts.items(), _MOST)
    )


def _found(page: PageTree, own: OwnWork) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each link to a supplement."""
    tags = (tag for tag in page.elements("a") if "href" in tag.attrib)
    for tag in islice(tags, _MOST_ANCHORS):
        text, _ = words_of(tag)
        url = joined(own.work.base, attribute(tag, "href")).partition("#")[0]
        address = plain(url)
        is_one = rules.SUPPLEMENT_TEXT.match(text) or rules.SUPPLEMENT_ADDRESS.search(address)
        if not is_one or not rules.FILE_ADDRESS.search(file_name(url)) or is_elsewhere(tag) or own.is_titled(text):
            continue
        is_own = site_of(url) == site_of(own.work.base) or own.names(url)
        if is_own and not rules.NEVER.search(f"{address} {text}") and own.is_of_work(url):
            yield url, text
