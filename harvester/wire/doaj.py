"""Answers of DOAJ (`/api/v4/search/articles/{query}`): articles of open journals, mostly their pages. Pure.

Answers of 2026-03. The licence in `journal` is the journal's, and of no copy: it is left out.
"""

from __future__ import annotations

from harvester.wire.copies import Copy, Description, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts

_PDF = "application/pdf"


def read(fetched: Fetched, doi: str) -> Description | None:
    """Return the article of a DOI; None when DOAJ does not know it. Errors are those of `answered`."""
    articles = parts(answered(fetched, "DOAJ") or {}, "results", "bibjson")
    return next((_described(each, doi) for each in articles if doi in _dois(each)), None)


def _dois(article: Node) -> list[str]:
    named = parts(article, "identifier")
    return [text(each, "id").lower() for each in named if text(each, "type").lower() == "doi"]


def _described(article: Node, doi: str) -> Description:
    links = [each for each in parts(article, "link") if text(each, "type").lower() == "fulltext"]
    return Description(
        doi=doi,
        title=text(article, "title"),
        authors=tuple(name.split()[-1] for name in texts(article, "author", "name")),
        container=text(article, "journal", "title"),
        publisher=text(article, "journal", "publisher"),
        year=text(article, "year"),
        abstract=text(article, "abstract"),
        issns=tuple(dict.fromkeys(texts(article, "journal", "issns"))),
        copies=without_repetitions([_copy(each) for each in links]),
        is_open=True,
    )


def _copy(link: Node) -> Copy:
    stated = text(link, "content_type").lower()
    is_file = stated in ("pdf", _PDF)
    return Copy(
        text(link, "url"),
        is_page=not is_file,
        mime_type=_PDF if is_file else "",
        version="published",
        host_type="publisher",
        evidence=f"doaj:{stated or 'link'}",
        is_open=True,
    )
