"""A citation in three common manners: author and year (APA), numbered (Vancouver), full names (Chicago). Pure.

They are short templates of our own. Where the record lacks a part, the citation lacks it too.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from gateway.core.bibliography.people import PARTICLES
from gateway.core.normal_forms import normalized
from gateway.pages.reference import Author, Reference
from gateway.pages.shown import bare

_MOST_AUTHORS = 20  # of APA; the others name fewer
_SHOWN_AUTHORS = 6
_SHOWN_OF_MORE = 3  # of Chicago (18th edition, 13.107): of more than six authors, the first three
_GIVEN = re.compile(r"(-?)([^\W\d_])[^\s.\-]*")
_SCRIPTS_WITH_INITIALS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN"})


class Citation(NamedTuple):
    """A citation in one manner; `style` is the key of its name on the pages."""

    style: str
    text: str


def citations(reference: Reference, url: str) -> tuple[Citation, ...]:
    """Return the citations of a work; `url` is used if it has no DOI."""
    link = reference.doi_url or url
    return (
        Citation("apa", _apa(reference, link)),
        Citation("vancouver", _vancouver(reference, link)),
        Citation("chicago", _chicago(reference, link)),
    )


def _apa(reference: Reference, link: str) -> str:
    names = [_apa_name(author) for author in reference.authors]
    if len(names) > _MOST_AUTHORS:
        names = [*names[: _MOST_AUTHORS - 1], "\u2026 " + names[-1]]
    authors = _listed(names, ", & ")
    year = f"({reference.year or 'n.d.'})"
    place = _join(", ", _container(reference), _volume(reference), reference.pages)
    return _sentences(
        _join(" ", _sentences(authors), year) if authors else "",
        bare(reference.title),
        "" if authors else year,
        place or reference.publisher,
        link,
    )


def _vancouver(reference: Reference, link: str) -> str:
    names = [_vancouver_name(author) for author in reference.authors]
    if len(names) > _SHOWN_AUTHORS:
        names = [*names[:_SHOWN_AUTHORS], "et al"]
    year = str(reference.year) if reference.year else ""
    place = _join(":", _join(";", year, _volume(reference)), reference.pages)
    return _sentences(
        ", ".join(names), bare(reference.title), _container(reference) or reference.publisher, place, link
    )


def _chicago(reference: Reference, link: str) -> str:
    names = [author.family_first for author in reference.authors[:1]]
    names += [_given_first(author) for author in reference.authors[1:]]
    if len(names) > _SHOWN_AUTHORS:
        authors = ", ".join([*names[:_SHOWN_OF_MORE], "et al."])
    elif len(names) == 2 and not reference.authors[0].family:  # noqa: PLR2004 - nothing is inverted, so no comma
        authors = " and ".join(names)
    else:
        authors = _listed(names, ", and ")
    title = bare(reference.title).rstrip(".")
    title = f"\u201c{title}{'' if title.endswith(('?', '!')) else '.'}\u201d" if title else ""
    number = f"no. {reference.issue}" if reference.issue else ""
    year = f"({reference.year})" if reference.year else ""
    place = _join(" ", _container(reference) or reference.publisher, _join(", ", reference.volume, number), year)
    return _sentences(authors, title, _join(": ", place, reference.pages), link)


def _container(reference: Reference) -> str:
    return reference.journal or reference.place


def _volume(reference: Reference) -> str:
    return reference.volume + (f"({reference.issue})" if reference.volume and reference.issue else "")


def _apa_name(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(", ", author.family, _initials(author.given, ".", " ", "-"), author.suffix)


def _vancouver_name(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(" ", author.family, _initials(author.given, "", "", ""), author.suffix.rstrip("."))


def _given_first(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(", ", _join(" ", author.given, author.family), author.suffix)


def _initials(given: str, stop: str, space: str, hyphen: str) -> str:
    """Return the initials of given names, with signs behind, between, and for a hyphen between them.

    Names in scripts without initials, such as Chinese or Arabic, stay whole.
    """
    made, is_behind_particle = "", False
    for match in _GIVEN.finditer(normalized("NFC", given)):
        if unicodedata.name(match[2], "").partition(" ")[0] not in _SCRIPTS_WITH_INITIALS:
            return given
        if match[0] in PARTICLES:
            made += f" {match[0]}"
            is_behind_particle = True
            continue
        between = " " if is_behind_particle else hyphen if match[1] else space
        is_behind_particle = False
        made += (between if made else "") + match[2].upper() + stop
    return made.lstrip() or given


def _listed(names: Sequence[str], last: str) -> str:
    if len(names) <= 1:
        return "".join(names)
    if "\u2026" in names[-1]:
        return ", ".join(names)
    return ", ".join(names[:-1]) + last + names[-1]


def _join(between: str, *parts: str) -> str:
    return between.join(filter(None, parts))


def _sentences(*parts: str) -> str:
    """Return the parts one after the other, each ended by a full stop unless it has an end; an address has none."""
    ended = [
        part if part.startswith("http") or part.rstrip("\u201d").endswith((".", "?", "!")) else f"{part}."
        for part in filter(None, parts)
    ]
    return " ".join(ended)
