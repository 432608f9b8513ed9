"""Compare the metadata of a stored record with the work at Crossref. Pure."""

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.model import Work
from gateway.core.normal_forms import letters
from harvester.audit.crossref import Deposited, years_of
from harvester.fulltext.identifiers import identifiers_of

_SHORTEST_TITLE = 20  # letters: `Editorial` and `Book reviews` are titles of many works
_DATE = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)")
_DOI_MEANT = re.compile(r"(?i)^\s*(?:doi\b|10\.\d|(?:https?://)?(?:(?:dx|www)\.)?doi\.org/|info:doi/|urn:doi:)")


class Difference(NamedTuple):
    """One statement in which the record and Crossref disagree."""

    what: str  # doi, title, issn or date
    ours: str
    theirs: str


class HeldWork(NamedTuple):
    """The statements of a stored record that Crossref also makes. `malformed` are statements that are meant for DOIs.

    `dates` are years, months or days, as the record has them: 2020, 2020-03, 2020-03-15.
    """

    identifier: str
    has_file: bool
    title: str = ""
    titles: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()

    @property
    def years(self) -> tuple[str, ...]:
        """The years of its dates, each once."""
        return years_of(self.dates)


def held_of(identifier: str, work: Work, *, has_file: bool) -> HeldWork:
    """Return the statements of a record that Crossref has, too."""
    identifiers = identifiers_of(work).entries
    titles = work.texts("title")
    dates = " ".join(work.texts("date"))
    return HeldWork(
        identifier,
        has_file,
        next(iter(titles), ""),
        titles,
        tuple(
            dict.fromkeys(
                identifier.value for identifier in identifiers if identifier.scheme == "doi" and identifier.is_certain
            )
        ),
        tuple(dict.fromkeys(identifier.value for identifier in identifiers if identifier.scheme == "issn")),
        tuple(dict.fromkeys(_DATE.findall(dates))),
        tuple(_malformed(work)),
    )


def _malformed(work: Work) -> Iterator[str]:
    for element, text, _ in work.statements:
        if element == "identifier" and _DOI_MEANT.match(text) and not dois_in(text):
            yield text[:200]


def title_key(title: str) -> str:
    """Return a key that is equal for equal titles; empty for a title that is too short to identify a work."""
    key = letters(title)
    return key if len(key) >= _SHORTEST_TITLE else ""


def differences(held: HeldWork, work: Deposited | None) -> tuple[Difference, ...]:
    """Return the disagreements. Without a work, only malformed DOIs. A missing statement is no disagreement."""
    differences = [Difference("doi", doi, "malformed") for doi in held.malformed]
    if work is not None:
        differences += _differences(held, work)
    return tuple(differences)


def _differences(held: HeldWork, work: Deposited) -> Iterator[Difference]:
    if work.doi not in held.dois:
        yield Difference("doi", " ".join(held.dois), work.doi)
    if held.titles and work.title and not any(_is_same(title, work.title) for title in held.titles):
        yield Difference("title", held.title, work.title)
    if held.issns and work.issns and set(held.issns).isdisjoint(work.issns):
        yield Difference("issn", " ".join(held.issns), " ".join(work.issns))
    if held.dates and work.dates and not any(_is_one_date(*pair) for pair in product(held.dates, work.dates)):
        yield Difference("date", " ".join(held.dates), " ".join(work.dates))


def _is_one_date(ours: str, theirs: str) -> bool:
    """Return whether two dates agree to their common precision: a year agrees with each day in it."""
    return ours.startswith(theirs) or theirs.startswith(ours)


def _is_same(ours: str, theirs: str) -> bool:
    """Return whether two titles are equal without case, accents and marks, or one begins with the other."""
    one, other = letters(ours), letters(theirs)
    return bool(one and other) and (one.startswith(other) or other.startswith(one))
