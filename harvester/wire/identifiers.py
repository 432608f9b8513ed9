"""Which work a record is about: the identifiers that other services know it by, wherever a record hides them. Pure.

Real records have their DOI in a citation, behind a publisher's address, in a statement of rights; half of them in a
relation, where it may as well be another work's. So every identifier comes with the element it was found in, and
`is_certain` tells whether the record says that it is its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from gateway.model import Work


class Found(NamedTuple):
    """One identifier: its scheme (doi, arxiv, pmcid, handle, issn), itself without any prefix, and where it stood."""

    scheme: str
    value: str
    found_in: str  # the Dublin Core element; `header` is the identifier in the source's protocol

    @property
    def is_certain(self) -> bool:
        """Tell whether the record calls it its own: what only stands beside it must be compared before it is used."""
        return self.found_in in ("identifier", "header")


class Identifiers(NamedTuple):
    """What a record is known by, the best of each scheme first."""

    found: tuple[Found, ...] = ()

    def best(self, scheme: str) -> Found | None:
        """Return the first identifier of a scheme, or None."""
        return next((each for each in self.found if each.scheme == scheme), None)

    def value(self, scheme: str) -> str:
        """Return the first identifier of a scheme itself, or an empty string."""
        best = self.best(scheme)
        return best.value if best else ""

    def all(self, scheme: str) -> tuple[str, ...]:
        """Return all identifiers of a scheme."""
        return tuple(each.value for each in self.found if each.scheme == scheme)


# --- the DOI ------------------------------------------------------------------------------------------------------

_NEXT = r"[;,](?i:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/"  # several are written without spaces between them
_DOI = re.compile(rf"(?<![\d.])10\.\d{{4,9}}(?:\.\d+)*(?:/|%2[Ff])(?:(?!{_NEXT})[^\s\"'|]){{1,500}}")
# What copying from pages leaves between the characters: soft hyphens, places where a line may break.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_AS_FILE = re.compile(r"(?i)(?<=/pdf/)(10\.\d{4,9}(?:/|%2f)[^\s?#]{1,200}?)\.pdf\b")  # Springer

# What the addresses of publishers put behind a DOI; Wiley, Taylor & Francis, Frontiers, IOP, PLOS.
_BEHIND = re.compile(
    r"(?i)/(?:abstract|full(?:text)?(?:/html)?|e?pdf(?:direct)?|html|references|meta|summary|asset|issuetoc)/?$"
)
_MARKUP = re.compile(r"(?is)(?:&[lg]t;|</?[a-z][^<>]*+>).*+")
_QUERY = re.compile(r"(?s)[?#&].*+")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_STOPS = ".,;:…*\u2019\u201d»"


def dois_in(text: str) -> tuple[str, ...]:
    """Return the DOIs that stand anywhere in a text, in lower case, without what surrounds them."""
    text = _AS_FILE.sub(r"\1", _INVISIBLE.sub("", text))
    found = (_doi(match[0]) for match in _DOI.finditer(text))
    return tuple(dict.fromkeys(filter(None, found)))


def _doi(text: str) -> str:
    text = _MARKUP.sub("", unquote(text))
    text = _QUERY.sub("", text) if "(" not in text else text  # a SICI may hold anything
    text = _without_stops(_BEHIND.sub("", _without_stops(text)))
    return text.lower() if text.partition("/")[2] else ""


def _without_stops(text: str) -> str:
    """Return a text without the marks that end a sentence, and without closing brackets that were opened before it."""
    while text and (text[-1] in _STOPS or text.count(text[-1]) > text.count(_PAIRS.get(text[-1], text[-1]))):
        text = text[:-1]
    return text


# Sentences that name the DOI of the work itself where a record tells of rights, or of anything at all.
_OF_ITSELF = re.compile(
    r"(?i)\bcitation:|^\s*citation|\bcite (?:this|as)\b|\b(?:final (?:publication|version)|version of record)\b"
    r"|\bpublished (?:version|article|in|at)\b|\bfirst (?:appeared|published)\b|\bavailable (?:at|from|online|via)\b"
)


def _own_doi(text: str) -> tuple[str, ...]:
    """Return the DOI in a text that may speak of other works too: one alone, where the words say that it is its own."""
    found = dois_in(text)
    return found if len(found) == 1 and _OF_ITSELF.search(text) else ()


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


def pmcids_in(text: str) -> tuple[str, ...]:
    """Return the identifiers of PubMed Central in a text."""
    return tuple(dict.fromkeys(f"PMC{number}" for number in _PMCID.findall(text)))


def issns_in(text: str) -> tuple[str, ...]:
    """Return the ISSNs that a text names as such, or is, and whose check digit is right."""
    alone = [pair for pair in _ISSN_ALONE.findall(text) if not _is_period(*pair)]
    found = (f"{first}-{last.upper()}" for first, last in [*_ISSN_NAMED.findall(text), *alone])
    return tuple(dict.fromkeys(filter(is_issn, found)))


def _is_period(first: str, last: str) -> bool:
    """Tell whether two numbers are years from which and to which; 2041-1723 (Nature Communications) are none."""
    return bool(_YEAR.fullmatch(first) and _YEAR.fullmatch(last)) and first <= last


def is_issn(text: str) -> bool:
    """Tell whether the check digit of an ISSN, written with its hyphen, is right (ISO 3297)."""
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

# Scheme, the elements to look in, best first, and what finds it there.
_PLACES = (
    ("doi", ("identifier",), dois_in),
    ("doi", _IN_WORDS, _own_doi),
    ("arxiv", _ITSELF, arxiv_in),
    ("pmcid", (*_ITSELF, *_RELATED), pmcids_in),
    ("handle", ("identifier",), _handles),
    ("issn", (*_ITSELF, *_RELATED), issns_in),
)


def identifiers_of(work: Work) -> Identifiers:
    """Return what a record is known by. Where it calls no DOI its own, the only one that it relates to is taken."""
    found = {each[:2]: each for each in reversed([*_known(work), *_in_header(work.upstream), *_in_statements(work)])}
    in_order = tuple(reversed(found.values()))
    if not any(each.scheme == "doi" for each in in_order):
        related = {doi for element, text, _ in work.statements if element == "relation" for doi in dois_in(text)}
        in_order += tuple(Found("doi", doi, "relation") for doi in related if len(related) == 1)
    return Identifiers(in_order)


def _known(work: Work) -> Iterator[Found]:
    for uri in work.identifiers:
        if uri.startswith(_HANDLE):
            yield Found("handle", uri.removeprefix(_HANDLE), "identifier")
        else:
            yield from (Found("doi", doi, "identifier") for doi in dois_in(uri))


def _in_header(upstream: str) -> Iterator[Found]:
    for scheme, find in (("doi", dois_in), ("arxiv", arxiv_in), ("pmcid", pmcids_in)):
        yield from (Found(scheme, value, "header") for value in find(upstream))


def _in_statements(work: Work) -> Iterator[Found]:
    for scheme, elements, find in _PLACES:
        for wanted in elements:
            for element, text, _ in work.statements:
                if element == wanted:
                    yield from (Found(scheme, value, element) for value in find(text))
