"""Answers of the interface of arXiv (`/api/query`), Atom with elements of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from gateway.errors import AnswerError, NotXml, RemoteRefuses, TryLater
from gateway.xmltext import clean
from harvester.fulltext.identifiers import arxiv_in, dois_in
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.retractions import by_statement, statement_in
from harvester.http.messages import Fetched
from harvester.xml.parsing import strict

_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_OK, _NOT_FOUND, _TOO_MANY, _FAILING = 200, 404, 429, 500
_MOST_ENTRIES, _MOST_AUTHORS = 50, 500


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of an answer, each under its DOI at DataCite; `also` holds the DOI of the article.

    Raise TryLater for 429 and statuses from 500, RemoteRefuses for other statuses. Raise NotXml for an answer that is
    not XML, AnswerTooLarge for one that is too large, AnswerError for one that is not a feed. An entry that describes
    an error is not a work.
    """
    if fetched.status == _TOO_MANY or fetched.status >= _FAILING:
        raise TryLater(f"arXiv answers {fetched.status}.")
    if fetched.status == _NOT_FOUND:
        return ()
    if fetched.status != _OK:
        raise RemoteRefuses(f"arXiv answers {fetched.status}.")
    try:
        root = strict(fetched.body)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"arXiv answers, but not with XML: {error}") from error
    if root.tag != f"{_ATOM}feed":
        raise AnswerError("arXiv answers, but not with a feed.")
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
        elements = entry.findall(f"{_ATOM}author/{_ATOM}name")[:_MOST_AUTHORS]
        names = [words for name in elements if (words := _plain(name).split())]
        yield Description(
            doi=f"10.48550/arxiv.{identifier}".lower(),
            title=_text(entry, f"{_ATOM}title"),
            authors=tuple(words[-1] for words in names),
            given_names=tuple(" ".join(words[:-1]) for words in names),
            year=_text(entry, f"{_ATOM}published")[:4],
            abstract=_text(entry, f"{_ATOM}summary"),
            copies=(copy,),
            also=dois_in(_text(entry, f"{_ARXIV}doi")),
            kind="preprint",
            retracted=_retracted(entry),
        )


def _retracted(entry: etree._Element) -> str:
    """Return the sentence about a withdrawal that the comment or the abstract states; empty: none."""
    stated = (statement_in(_text(entry, path).lower()) for path in (f"{_ARXIV}comment", f"{_ATOM}summary"))
    return next((by_statement(update, "arXiv", quote) for update, quote in stated if update), "")


def _text(entry: etree._Element, path: str) -> str:
    element = entry.find(path)
    return "" if element is None else _plain(element)


def _plain(element: etree._Element) -> str:
    """Return the text of an element without that of its children, with single spaces."""
    return " ".join(clean(element.text or "").split())
