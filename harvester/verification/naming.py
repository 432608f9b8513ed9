"""By what a work can be named, and where its authors stand on a page. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gateway.model import Work
from harvester.verification.fronts import Front, folded
from harvester.verification.titles import worth
from harvester.wire.copies import Description
from harvester.wire.identifiers import BESIDE, Identifiers, dois_in

_LEAST_SURNAME = 2  # letters
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,4}")

# Preprints and copies have a DOI of their own, beside that of the work.
_OF_COPIES = (
    "10.48550/arxiv", "10.1101/", "10.64898/", "10.2139/ssrn", "10.21203/rs", "10.20944/preprints", "10.26434/chemrxiv",
    "10.31234/osf", "10.31235/osf", "10.31219/osf", "10.22541/", "10.36227/techrxiv", "10.5281/zenodo", "10.12688/",
    "10.13140/rg",
)  # fmt: skip


class Named(NamedTuple):
    """By what a work can be named: identifiers as (scheme, value), titles, authors, years, journals or publishers.

    `dois` are all that a document of the work may state; empty where a file may have any.
    """

    identifiers: tuple[tuple[str, str], ...] = ()
    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()


class Page(NamedTuple):
    """A page that names its document, and where the authors of the work stand on it."""

    front: Front
    authors: tuple[int, ...]


def surname(author: str) -> str:
    """Return the surname of an author as records write it: `Atatüre, M.`, `M. Atatüre`, `Atatüre M`."""
    name = author.partition(",")[0].strip() if "," in author else author
    parts = name.split()
    if "," in author or len(parts) < 2:  # noqa: PLR2004 - one word is the surname
        return name
    given = [part for part in parts if not _INITIALS.fullmatch(part)]
    return given[-1] if given else parts[0]


def authors_on(front: Front, authors: Iterable[str]) -> Iterator[int]:
    """Return where surnames of authors stand."""
    for name in {folded(spelling) for author in authors for spelling in _spellings(surname(author))}:
        if worth(name) < _LEAST_SURNAME:
            continue
        for start, stop in front.spots(name):
            before, behind = front.text[start - 1 : start], front.text[stop : stop + 1]
            if not before.isalpha() and not (behind.isalpha() and behind.islower()):
                yield start


def _spellings(name: str) -> tuple[str, ...]:
    written = name.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return (name,) if written == name.lower() else (name, written)


def is_of_copy(doi: str) -> bool:
    """Tell whether a DOI is one that preprints and copies have."""
    return doi.lower().startswith(_OF_COPIES)


def named_of(work: Work, identifiers: Identifiers, titles: Iterable[str], believed: Iterable[Description]) -> Named:
    """Return by what a work can be named, as its record says it and those services that are believed.

    An identifier that a record only relates to, or has in its words, may be that of another work: a service must know
    the work by it.
    """
    stated = work.statements
    authors = [each.text for each in stated if each.element == "creator"]
    years = [match[0] for each in stated if each.element == "date" for match in _YEAR.finditer(each.text)]
    venues = [each.text.partition(";")[0] for each in stated if each.element in ("source", "publisher")]
    known: set[str] = set()
    for each in believed:
        authors += each.authors
        years.append(each.year)
        venues += [each.container, each.publisher]
        known.add(each.doi)
    of_itself = (each for each in identifiers.found if each.found_in not in BESIDE or each.value in known)
    return Named(
        tuple(dict.fromkeys((each.scheme, each.value) for each in of_itself)),
        tuple(titles),
        tuple(dict.fromkeys(filter(None, authors))),
        tuple(dict.fromkeys(filter(None, years))),
        tuple(dict.fromkeys(filter(None, venues))),
        _dois(work, identifiers, believed),
    )


def _dois(work: Work, identifiers: Identifiers, described: Iterable[Description]) -> tuple[str, ...]:
    """Return the DOIs that a document of a work may state; none where that may be any.

    It may be where the record has no DOI of its own, or that of a copy: such a file states the publisher's.
    """
    own = [each.value for each in identifiers.found if each.scheme == "doi" and each.is_certain]
    if not own or any(map(is_of_copy, own)):
        return ()
    known = list(identifiers.all("doi"))
    for each in described:
        if each.doi in own and each.kind[:1].isupper():  # as DataCite spells them, with which repositories register
            return ()
        known += [each.doi, *(related.value for related in each.related if related.scheme == "doi")]
        known += [doi for text in each.also for doi in dois_in(text)]
    known += [doi for statement in work.statements for doi in dois_in(statement.text)]
    return tuple(dict.fromkeys(filter(None, known)))
