"""Identifiers in one spelling: a DOI, handle, arXiv identifier, ORCID iD or address fits however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

LONGEST: Final = 500  # characters; a longer text is no identifier that anybody types

_DOI = re.compile(r"(?:(?:https?://(?:dx\.|www\.)?doi\.org/|info:doi/|urn:doi:|doi:)\s?)?(10\.[0-9]{4,9}/\S+)")
_ARXIV = re.compile(
    r"(?:https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/|oai:arxiv\.org:|info:arxiv/|arxiv:|10\.48550/arxiv\.)?"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{1,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?(?:\.pdf)?"
)
_HANDLE = re.compile(
    r"(?:https?://hdl\.handle\.net/|info:hdl/|urn:hdl:|hdl:|https?://[^\s/]+/handle/)?([0-9][0-9.]*/\S+)"
)
_ORCID = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9x](?![0-9-])")
_PMID = re.compile(
    r"(?:pmid:|info:pmid/|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)"
    r"([0-9]{1,9})/?"
)
_BOOK = re.compile(r"(?:urn:)?(?:isbn[:\s]?\s?)?((?:97[89][-\s]?)?(?:[0-9][-\s]?){9}[0-9x])")
_SERIAL = re.compile(r"(?:urn:)?(?:e?issn[:\s]?\s?)?([0-9]{4}-[0-9]{3}[0-9x])")
_LAST_OF_NUMBERS = frozenset("0123456789x")
_GAPS = re.compile(r"[-\s]")
_SCHEME = re.compile(r"https?://(?:www\.)?")
_SPACED = re.compile(r"(?i)\b(doi|arxiv|pmid|hdl|isbn|issn|orcid):\s+")
_AROUND = " \t\r\n\"'<>[](){}.,;"
_DIGIT, _SIGN = re.compile(r"[0-9]"), re.compile(r"[:/.-]")


def joined(text: str) -> str:
    """Return a query in which `doi: 10…` is written as one identifier, without a space."""
    return _SPACED.sub(r"\1:", text)


def may_be_identifier(part: str) -> bool:
    """Return whether a part of a query, without spaces, may be an identifier: it has a digit and a sign, or a colon."""
    is_numbered = bool(_DIGIT.search(part) and _SIGN.search(part))
    return is_numbered or ":" in part.strip(":")


def names_of(text: str) -> frozenset[str]:
    """Return the names under which an identifier is compared; two texts mean the same thing if they share one.

    A text that is no known kind of identifier has one name: itself, without the scheme of an address.
    """
    text = text.strip(_AROUND)
    if not text or len(text) > LONGEST:
        return frozenset()
    text = unquote(text).casefold().strip(_AROUND)
    return frozenset(_names(text)) or frozenset({_SCHEME.sub("", text).rstrip("/#?") or text})


def _names(text: str) -> Iterator[str]:
    """Yield the names of a text; what each pattern needs at least is asked first, because most texts lack it."""
    has_slash, is_numbered = "/" in text, text[-1] in _LAST_OF_NUMBERS
    if "10." in text and (match := _DOI.fullmatch(text)):
        yield f"doi:{match[1].rstrip('/')}"
    elif has_slash and (match := _HANDLE.fullmatch(text)):
        yield f"hdl:{match[1].rstrip('/')}"
    if is_numbered and not has_slash and (match := _BOOK.fullmatch(text)):
        yield f"isbn:{_GAPS.sub('', match[1])}"
    if (is_numbered or text[-4:] == ".pdf") and (match := _ARXIV.fullmatch(text)):
        yield f"arxiv:{match[1]}"
    if ("pmid" in text or "pubmed" in text) and (match := _PMID.fullmatch(text)):
        yield f"pmid:{match[1]}"
    if is_numbered and not has_slash and (match := _SERIAL.fullmatch(text)):
        yield f"issn:{match[1]}"
    yield from (f"orcid:{orcid}" for orcid in people(text))


def people(text: str) -> list[str]:
    """Return the ORCID iDs in a text, in lower case."""
    return _ORCID.findall(text.casefold()) if "-" in text else []
