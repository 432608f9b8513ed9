"""The identifiers of the work that a record describes, in any element of the record. Pure.

Real records have their DOI in a citation, in a publisher's URL, or in rights. Half of them have it in a relation, where
it may belong to another work. So every identifier has the element it came from, and `is_certain` says whether the
record calls it its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from gateway.core.model import Work


class Identifier(NamedTuple):
    """One identifier: its scheme (doi, arxiv, pmcid, handle, issn), its value without prefix, and its element."""

    scheme: str
    value: str
    found_in: str  # the Dublin Core element; `header` is the identifier in the source's protocol

    @property
    def is_certain(self) -> bool:
        """Return whether the record calls it its own. Compare any other one with the record before use."""
        return self.found_in in ("identifier", "header")


class Identifiers(NamedTuple):
    """The identifiers of a record, the best of each scheme first."""

    entries: tuple[Identifier, ...] = ()

    def best(self, scheme: str) -> Identifier | None:
        """Return the first identifier of a scheme, or None."""
        return next((identifier for identifier in self.entries if identifier.scheme == scheme), None)

    def value(self, scheme: str) -> str:
        """Return the value of the first identifier of a scheme, or an empty string."""
        best = self.best(scheme)
        return best.value if best else ""

    def all(self, scheme: str) -> tuple[str, ...]:
        """Return the values of all identifiers of a scheme."""
        return tuple(identifier.value for identifier in self.entries if identifier.scheme == scheme)

    def certain(self, scheme: str) -> tuple[str, ...]:
        """Return the values of a scheme that the record calls its own."""
        return tuple(one.value for one in self.entries if one.scheme == scheme and one.is_certain)


# --- the DOI ------------------------------------------------------------------------------------------------------

_NEXT = r"[;,](?i:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/"  # several DOIs without spaces between them
_DOI = re.compile(rf"(?<![\d.])10\.\d{{4,9}}(?:\.\d+)*(?:/|%2[Ff])(?:(?!{_NEXT})[^\s\"'|]){{1,500}}")
# Invisible characters from copied pages: soft hyphens, zero-width spaces.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_AS_FILE = re.compile(r"(?i)(?<=/pdf/)(10\.\d{4,9}(?:/|%2f)[^\s?#]{1,200}?)\.pdf\b")  # Springer

# Suffixes after a DOI in URLs of publishers; Wiley, Taylor & Francis, Frontiers, IOP, PLOS.
_BEHIND = re.compile(
    r"(?i)/(?:abstract|full(?:text)?(?:/html)?|e?pdf(?:direct)?|html|references|meta|summary|asset|issuetoc)/?$"
)
_MARKUP = re.compile(r"(?is)(?:&[lg]t;|</?[a-z][^<>]*+>).*+")
_QUERY = re.compile(r"(?s)[?#&].*+")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_STOPS = ".,;:…*\u2019\u201d»"


def dois_in(text: str) -> tuple[str, ...]:
    """Return the DOIs in a text, in lower case, without surrounding marks and suffixes."""
    text = _AS_FILE.sub(r"\1", _INVISIBLE.sub("", text))
    dois = (_doi(match[0]) for match in _DOI.finditer(text))
    return tuple(dict.fromkeys(filter(None, dois)))


def _doi(text: str) -> str:
    text = _MARKUP.sub("", unquote(text))
    text = _QUERY.sub("", text) if "(" not in text else text  # a SICI may contain any of them
    text = _without_stops(_BEHIND.sub("", _without_stops(text)))
    return text.lower() if text.partition("/")[2] else ""


def _without_stops(text: str) -> str:
    """Return a text without the marks that end a sentence, and without closing brackets that were opened before it."""
    while text and (text[-1] in _STOPS or text.count(text[-1]) > text.count(_PAIRS.get(text[-1], text[-1]))):
        text = text[:-1]
    return text


# Phrases in rights or descriptions before the DOI of the work itself.
_OF_ITSELF = re.compile(
    r"(?i)\bcitation:|^\s*citation|\bcite (?:this|as)\b|\b(?:final (?:publication|version)|version of record)\b"
    r"|\bpublished (?:version|article|in|at)\b|\bfirst (?:appeared|published)\b|\bavailable (?:at|from|online|via)\b"
)


def _own_doi(text: str) -> tuple[str, ...]:
    """Return the only DOI in a text if its words say that it is the DOI of the work itself; else none."""
    dois = dois_in(text)
    return dois if len(dois) == 1 and _OF_ITSELF.search(text) else ()


# --- the others ---------------------------------------------------------------------------------------------------

_ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?!\d|\.\d)"
_ARXIV = re.compile(rf"(?i:arxiv\.org[:/](?:(?:abs|pdf|html)/)?|\barxiv(?:[:/]\s*|\s+)|10\.48550/arxiv\.){_ARXIV_ID}")
_PMCID = re.compile(
    r"(?i)(?:\bPMC\s?|pubmedcentral\.nih\.gov:|/pmc/articles/|pubmedcentral\.nih\.gov/\S{0,50}[?&]artid=)(\d{4,9})\b"
)
_HANDLE_PAGE = re.compile(r"(?i)^https?://[^/\s]+/(?:\w+/)?handle/((?!123456789/)\d[\d.]*/[^\s?#]+)")
_HANDLE = "https://hdl.handle.net/"
_HYPHEN = r"[-\u2010-\u2013]"
_ISSN_NAMED = re.compile(
    rf"(?i)\be?-?issn(?:-l)?(?:\s*\((?:print|online|e|p)\))?[\s:.=/]*(\d{{4}}){_HYPHEN}?(\d{{3}}[\dX])\b"
)
_ISSN_ALONE = re.compile(
    rf"(?i)^\s*(?:urn:issn:)?(\d{{4}}){_HYPHEN}(\d{{3}}[\dX])\s*+(?:\((?:print|online|e?-?issn)\))?\s*+$"
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def arxiv_in(text: str) -> tuple[str, ...]:
    """Return the arXiv identifiers in a text, without versions."""
    return tuple(dict.fromkeys(_ARXIV.findall(text)))


def _bare_doi(text: str) -> str:
    return next(iter(dois_in(text)), "")


def _bare_arxiv(text: str) -> str:
    return next(iter(arxiv_in(f"arxiv:{text}") or arxiv_in(text)), "")


# Functions that return the bare identifier of a scheme: without URL, name or version; empty for any other text.
BARE = {"doi": _bare_doi, "arxiv": _bare_arxiv}


def pmcids_in(text: str) -> tuple[str, ...]:
    """Return the identifiers of PubMed Central in a text."""
    return tuple(dict.fromkeys(f"PMC{number}" for number in _PMCID.findall(text)))


def issns_in(text: str) -> tuple[str, ...]:
    """Return the ISSNs with a right check digit that a text labels as such, or that are the whole text."""
    alone = [pair for pair in _ISSN_ALONE.findall(text) if not _is_period(*pair)]
    issns = (f"{first}-{last.upper()}" for first, last in [*_ISSN_NAMED.findall(text), *alone])
    return tuple(dict.fromkeys(filter(is_issn, issns)))


def _is_period(first: str, last: str) -> bool:
    """Return whether two numbers are a period of years; 2041-1723 (Nature Communications) is not."""
    return bool(_YEAR.fullmatch(first) and _YEAR.fullmatch(last)) and first <= last


def is_issn(text: str) -> bool:
    """Return whether the check digit of an ISSN, written with its hyphen, is right (ISO 3297)."""
    digits = text.replace("-", "")
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(value * weight for value, weight in zip(values, range(8, 0, -1), strict=True)) % 11 == 0


def _handles(text: str) -> tuple[str, ...]:
    match = _HANDLE_PAGE.match(text)
    return (match[1].rstrip("/"),) if match else ()


# --- a record -----------------------------------------------------------------------------------------------------

_ITSELF = ("identifier", "source")
_RELATED = ("relation",)
_IN_WORDS = ("rights", "description", "publisher")
BESIDE = frozenset((*_RELATED, *_IN_WORDS))  # elements whose identifiers may be those of other works

# Scheme, its elements, best first, and the function that finds it there.
_PLACES = (
    ("doi", ("identifier",), dois_in),
    ("doi", _IN_WORDS, _own_doi),
    ("arxiv", _ITSELF, arxiv_in),
    ("pmcid", (*_ITSELF, *_RELATED), pmcids_in),
    ("handle", ("identifier",), _handles),
    ("issn", (*_ITSELF, *_RELATED), issns_in),
)


def identifiers_of(work: Work) -> Identifiers:
    """Return the identifiers of a record. If it calls no DOI its own, a single related DOI counts."""
    by_value = {
        identifier[:2]: identifier
        for identifier in reversed([*_known(work), *_in_header(work.upstream), *_in_statements(work)])
    }
    in_order = tuple(reversed(by_value.values()))
    if not any(identifier.scheme == "doi" for identifier in in_order):
        related = {doi for text in work.texts("relation") for doi in dois_in(text)}
        in_order += tuple(Identifier("doi", doi, "relation") for doi in related if len(related) == 1)
    return Identifiers(in_order)


def _known(work: Work) -> Iterator[Identifier]:
    for uri in work.identifiers:
        if uri.startswith(_HANDLE):
            yield Identifier("handle", uri.removeprefix(_HANDLE), "identifier")
        else:
            yield from (Identifier("doi", doi, "identifier") for doi in dois_in(uri))


def _in_header(upstream: str) -> Iterator[Identifier]:
    for scheme, find in (("doi", dois_in), ("arxiv", arxiv_in), ("pmcid", pmcids_in)):
        yield from (Identifier(scheme, value, "header") for value in find(upstream))


def _in_statements(work: Work) -> Iterator[Identifier]:
    for scheme, elements, find in _PLACES:
        for element in elements:
            for text in work.texts(element):
                yield from (Identifier(scheme, value, element) for value in find(text))
