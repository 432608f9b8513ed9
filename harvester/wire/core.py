"""Answers of CORE, version 3 (`/v3/search/works/?q=doi:"…"`): copies in repositories, and where they were. Pure.

An answer of 2026-03. A work joins copies of several versions; neither version nor licence is told. `downloadUrl` may be
the address of a page, such as an abstract at arXiv.
"""

from __future__ import annotations

import re

from harvester.wire.copies import Copy, Description, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts, values

_FILE = re.compile(r"(?i)https?://(?:core\.ac\.uk/download/|[^?#]{1,1000}(?:\.pdf$|/bitstreams?/|/pdf/))")
_ABSTRACT = re.compile(r"https?://arxiv\.org/abs/([\w./-]{1,40})")


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the work of a DOI; None when CORE does not know it. Errors are those of `answered`."""
    works = parts(answered(fetched, "CORE") or {}, "results")
    return next((_described(each) for each in works if text(each, "doi").lower() == doi), None)


def _described(work: Node) -> Description:
    links = parts(work, "links")
    urls = texts(work, "downloadUrl") + [text(each, "url") for each in links if text(each, "type") == "download"]
    urls += texts(work, "sourceFulltextUrls")
    return Description(
        doi=text(work, "doi").lower(),
        title=text(work, "title"),
        authors=tuple(name.partition(",")[0].strip() for name in texts(work, "authors", "name")),
        publisher=text(work, "publisher").strip("'"),
        year="".join(str(each) for each in values(work, "yearPublished")),
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
