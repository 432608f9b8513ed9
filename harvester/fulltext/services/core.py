"""Answers of CORE, version 3 (`/v3/search/works/?q=doi:"…"`): copies in repositories, and where they were. Pure.

An answer of 2026-03. A work joins copies of several versions; no version and no licence is stated. `downloadUrl` may be
the address of a page, such as an abstract at arXiv.
"""

from __future__ import annotations

import re

from harvester.fulltext.identifiers import BARE
from harvester.fulltext.known_copies import Copy, Description, without_repetitions
from harvester.http.json_answers import Node, answered, listed, parts, text, texts, values
from harvester.http.messages import Fetched

_FILE = re.compile(r"(?i)https?://(?:core\.ac\.uk/download/|[^?#]{1,1000}(?:\.pdf$|/bitstreams?/|/pdf/))")
_ABSTRACT = re.compile(r"https?://arxiv\.org/abs/([\w./-]{1,40})")


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the work of a DOI; None when CORE does not know it. Errors are those of `answered`, `listed`."""
    works = listed(answered(fetched, "CORE", "results"), "CORE", "results", named=_dois)
    return next((_described(work, doi) for work in works if doi in _dois(work)), None)


def _dois(work: Node) -> set[str]:
    """Return the DOIs of a work: its own, perhaps as an address, and those of the copies that it joins."""
    others = [text(part, "identifier") for part in parts(work, "identifiers") if text(part, "type") == "DOI"]
    return {BARE["doi"](named) for named in (text(work, "doi"), *others)} - {""}


def _described(work: Node, doi: str) -> Description:
    links = parts(work, "links")
    urls = texts(work, "downloadUrl") + [text(link, "url") for link in links if text(link, "type") == "download"]
    urls += texts(work, "sourceFulltextUrls")
    return Description(
        doi=doi,
        title=text(work, "title"),
        authors=tuple(name.partition(",")[0].strip() for name in texts(work, "authors", "name")),
        publisher=text(work, "publisher").strip("'"),
        year="".join(str(value) for value in values(work, "yearPublished")),
        abstract=text(work, "abstract"),
        copies=without_repetitions([_copy(url) for url in urls]),
        also=tuple(texts(work, "oaiIds")),
    )


def _copy(url: str) -> Copy:
    abstract = _ABSTRACT.fullmatch(url)
    if abstract:
        return _file(f"https://arxiv.org/pdf/{abstract[1]}")._replace(version="submitted")
    return _file(url) if _FILE.match(url) else _file(url)._replace(is_page=True, mime_type="")


def _file(url: str) -> Copy:
    return Copy(url, mime_type="application/pdf", host_type="repository", evidence="core:download", is_open=True)
