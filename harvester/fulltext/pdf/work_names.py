"""The names of a work, and the places of its authors on a page. Pure.

A DOI of another version that the record or a service names is not another DOI. Another DOI is allowed for a preprint,
and for any file of a record without a DOI of its own. It is also allowed if the DOI of the record is that of a
preprint, or is registered with DataCite, like those of repositories.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gateway.core.bibliography.dates import years_in
from gateway.core.bibliography.identifiers import dois_in
from gateway.core.model import Work
from gateway.core.words import table
from harvester.fulltext.identifiers import BESIDE, Identifiers
from harvester.fulltext.known_copies import DATACITE, Description
from harvester.fulltext.pdf.first_pages import Front, folded
from harvester.fulltext.pdf.person_names import spellings, surname
from harvester.fulltext.pdf.titles import worth

_LEAST_SURNAME = 2  # letters
_INITIALS = 2  # letters of a part of a name that may be initials
_FIRST_OTHER, _FIRST_WIDE = "\u0370", "\u2e80"  # the first letter of Greek; from the second on, letters are words
# Up to three letters of affiliations may be glued to a surname: `Lanea,c,*`, `Bendera;1`, `NAGUMOt`.
_AFTER_NAME = re.compile(r"[^\W\d_A-Z]{0,3}(?![^\W\d_])|(?=[A-Z])")

_OF_COPIES = tuple(table(__file__, "dois_of_copies")["prefixes"])


class Named(NamedTuple):
    """The names of a work: identifiers as (scheme, value), titles, authors, years, journals or publishers.

    `dois` are all DOIs that a document of the work may state; empty if a file may have any.
    """

    identifiers: tuple[tuple[str, str], ...] = ()
    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()


class Page(NamedTuple):
    """A page that names its document, and the places of the work's authors on it."""

    front: Front
    authors: tuple[int, ...]


def authors_on(front: Front, authors: Iterable[str]) -> Iterator[int]:
    """Return the places of the surnames of authors, perhaps with letters of affiliations or marks behind them."""
    for name in {folded(spelling) for author in authors for spelling in _spellings(author)}:
        is_wide = not name.isascii() and min(name) >= _FIRST_WIDE
        if worth(name) < _LEAST_SURNAME:
            continue
        for start, stop in front.spots(name):
            if is_wide or (not front.text[start - 1 : start].isalpha() and _AFTER_NAME.match(front.text, stop)):
                yield start


def _spellings(author: str) -> set[str]:
    """Return the forms of a name that identify an author: the surname, and with other scripts than Latin its order.

    Chinese, Japanese and Korean names have no spaces, and either part may be first. A Cyrillic or an Arabic name may
    begin or end with the surname.
    """
    name = surname(author)
    forms = set(spellings(name))
    letters = folded(author)
    if not letters or max(letters) < _FIRST_OTHER:
        return forms
    parts = [part for part in re.split(r"[\s,\u3001\uff0c\u060c.]+", author) if part]
    if min(letters) >= _FIRST_WIDE:  # one character of a family name is on every page
        whole, turned = "".join(parts), "".join(reversed(parts))
        return {whole, turned} | (forms if len(name) > 1 and len(parts) > 1 else set())
    is_divided = "," in author or len(parts) == 1
    return forms if is_divided else {part for part in (parts[0], parts[-1]) if len(part) > _INITIALS} | forms


def is_of_copy(doi: str) -> bool:
    """Return whether a DOI is one that preprints and copies have."""
    return doi.lower().startswith(_OF_COPIES)


def named_of(work: Work, identifiers: Identifiers, titles: Iterable[str], believed: Iterable[Description]) -> Named:
    """Return the names of a work, from its record and the trusted services.

    An identifier in a relation or a text field of a record may be that of another work. So a service must have the work
    under it.
    """
    authors = list(work.texts("creator"))
    years = [year for date in work.texts("date") for year in years_in(date)]
    venues = [text.partition(";")[0] for text in work.texts("source", "publisher")]
    known: set[str] = set()
    for description in believed:
        authors += description.authors
        years.append(description.year)
        venues += [description.container, description.publisher]
        known.add(description.doi)
    of_itself = (
        identifier
        for identifier in identifiers.entries
        if identifier.found_in not in BESIDE or identifier.value in known
    )
    return Named(
        tuple(dict.fromkeys((identifier.scheme, identifier.value) for identifier in of_itself)),
        tuple(titles),
        tuple(dict.fromkeys(filter(None, authors))),
        tuple(dict.fromkeys(filter(None, years))),
        tuple(dict.fromkeys(filter(None, venues))),
        _dois(work, identifiers, believed),
    )


def _dois(work: Work, identifiers: Identifiers, described: Iterable[Description]) -> tuple[str, ...]:
    """Return the DOIs that a document of a work may state; none if it may state any.

    It may state any if the record has no own DOI, or that of a copy: then the file states the DOI of the publisher.
    """
    own = identifiers.certain("doi")
    if not own or any(map(is_of_copy, own)):
        return ()
    known = list(identifiers.all("doi"))
    for description in described:
        if description.doi in own and description.registry == DATACITE:  # few publishers register with it
            return ()
        known += [description.doi, *(related.value for related in description.related if related.scheme == "doi")]
        known += [doi for text in description.also for doi in dois_in(text)]
    known += [doi for statement in work.statements for doi in dois_in(statement.text)]
    return tuple(dict.fromkeys(filter(None, known)))
