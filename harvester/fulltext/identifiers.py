"""The identifiers of the work that a record describes, in any element of the record. Pure.

Real records have their DOI in a citation, in a publisher's URL, or in rights. Half of them have it in a relation, where
it may belong to another work. So every identifier has the element it came from, and `is_certain` says whether the
record calls it its own.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gateway.core.bibliography.identifiers import arxiv_in, dois_in, handles_in, issns_in, pmcids_in
from gateway.core.model import Work
from harvester.words import any_of, load


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


_OF_ITSELF = re.compile(rf"(?i){any_of(load('other_works')['before_own_doi'])}")


def _own_doi(text: str) -> tuple[str, ...]:
    """Return the only DOI in a text if its words say that it is the DOI of the work itself; else none."""
    dois = dois_in(text)
    return dois if len(dois) == 1 and _OF_ITSELF.search(text) else ()


# Functions that return the bare identifier of a scheme: without URL, name or version; empty for any other text.
BARE: dict[str, Callable[[str], str]] = {
    "doi": lambda text: next(iter(dois_in(text)), ""),
    "arxiv": lambda text: next(iter(arxiv_in(f"arxiv:{text}") or arxiv_in(text)), ""),
}
_HANDLE = "https://hdl.handle.net/"

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
    ("handle", ("identifier",), handles_in),
    ("issn", (*_ITSELF, *_RELATED), issns_in),
)


def identifiers_of(work: Work) -> Identifiers:
    """Return the identifiers of a record. If it calls no DOI its own, a single related DOI counts."""
    finding = (("doi", dois_in), ("arxiv", arxiv_in), ("pmcid", pmcids_in))
    in_header = (Identifier(scheme, value, "header") for scheme, find in finding for value in find(work.upstream))
    by_value = {
        identifier[:2]: identifier for identifier in reversed([*_known(work), *in_header, *_in_statements(work)])
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


def _in_statements(work: Work) -> Iterator[Identifier]:
    for scheme, elements, find in _PLACES:
        for element in elements:
            for text in work.texts(element):
                yield from (Identifier(scheme, value, element) for value in find(text))
