"""Answers of the interface of arXiv (`/api/query`), Atom with elements of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from gateway.errors import NotXml, RemoteRefuses, TryLater
from gateway.xmltext import clean
from harvester.wire.copies import Copy, Description
from harvester.wire.http import Fetched
from harvester.wire.identifiers import arxiv_in, dois_in
from harvester.wire.parsing import strict

_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_OK, _NOT_FOUND, _TOO_MANY, _ILL = 200, 404, 429, 500
_MOST_ENTRIES, _MOST_AUTHORS = 50, 500


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of an answer, each under its DOI at DataCite; `also` holds the DOI of the article.

    Raise TryLater when arXiv is busy or ill, RemoteRefuses when it wants another question, NotXml when the answer is
    none. An error that stands in the answer as an entry is no work.
    """
    if fetched.status == _TOO_MANY or fetched.status >= _ILL:
        raise TryLater(f"arXiv answers {fetched.status}.")
    if fetched.status == _NOT_FOUND:
        return ()
    if fetched.status != _OK:
        raise RemoteRefuses(f"arXiv answers {fetched.status}.")
    try:
        root = strict(fetched.body)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"arXiv answers something that is no XML: {error}") from error
    entries = root.findall(f"{_ATOM}entry")[:_MOST_ENTRIES]
    return tuple(work for entry in entries for work in _described(entry))


def _described(entry: etree._Element) -> Iterator[Description]:
    for identifier in arxiv_in(_text(entry, f"{_ATOM}id"))[:1]:
        copy = Copy(
            f"https://arxiv.org/pdf/{identifier}",
            mime_type="application/pdf",
            version="submitted",
            host_type="repository",
            evidence=f"arxiv:{identifier}",
            is_open=True,
        )
        names = entry.findall(f"{_ATOM}author/{_ATOM}name")[:_MOST_AUTHORS]
        yield Description(
            doi=f"10.48550/arxiv.{identifier}".lower(),
            title=_text(entry, f"{_ATOM}title"),
            authors=tuple(words[-1] for name in names if (words := _plain(name).split())),
            year=_text(entry, f"{_ATOM}published")[:4],
            abstract=_text(entry, f"{_ATOM}summary"),
            copies=(copy,),
            also=dois_in(_text(entry, f"{_ARXIV}doi")),
            kind="preprint",
        )


def _text(entry: etree._Element, path: str) -> str:
    found = entry.find(path)
    return "" if found is None else _plain(found)


def _plain(element: etree._Element) -> str:
    """Return the text of an element without what stands in it, with single spaces."""
    return " ".join(clean(element.text or "").split())
