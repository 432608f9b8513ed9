"""A record that is held, held against the work as Crossref has it: what of its metadata disagrees. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from gateway.model import Work
from harvester.verification.similarity import letters
from harvester.wire.crossref_works import Deposited, years_of
from harvester.wire.identifiers import dois_in, identifiers_of

_SHORTEST_TITLE = 20  # letters: `Editorial` and `Book reviews` are titles of many works
_DATE = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)")
_DOI_MEANT = re.compile(r"(?i)^\s*(?:doi\b|10\.\d|(?:https?://)?(?:(?:dx|www)\.)?doi\.org/|info:doi/|urn:doi:)")


class Difference(NamedTuple):
    """One thing that the record says otherwise than Crossref."""

    what: str  # doi, title, issn or date
    ours: str
    theirs: str


class Held(NamedTuple):
    """What a record says of itself that Crossref says too. `malformed` are statements that are meant for DOIs.

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
        """The years of its dates."""
        return years_of(self.dates)


def held_of(identifier: str, work: Work, *, has_file: bool) -> Held:
    """Return what a record says of itself."""
    found = identifiers_of(work).found
    titles = tuple(each.text for each in work.statements if each.element == "title")
    dates = " ".join(each.text for each in work.statements if each.element == "date")
    return Held(
        identifier,
        has_file,
        next(iter(titles), ""),
        titles,
        tuple(dict.fromkeys(each.value for each in found if each.scheme == "doi" and each.is_certain)),
        tuple(dict.fromkeys(each.value for each in found if each.scheme == "issn")),
        tuple(dict.fromkeys(_DATE.findall(dates))),
        tuple(_malformed(work)),
    )


def _malformed(work: Work) -> Iterator[str]:
    for element, text, _ in work.statements:
        if element == "identifier" and _DOI_MEANT.match(text) and not dois_in(text):
            yield text[:200]


def title_key(title: str) -> str:
    """Return by what two titles are the same; empty when it is too short to tell works apart."""
    key = letters(title)
    return key if len(key) >= _SHORTEST_TITLE else ""


def differences(held: Held, work: Deposited | None) -> tuple[Difference, ...]:
    """Return what disagrees. Without a work, only what is wrong by itself. What either does not say agrees."""
    found = [Difference("doi", each, "malformed") for each in held.malformed]
    if work is not None:
        found += _differences(held, work)
    return tuple(found)


def _differences(held: Held, work: Deposited) -> Iterator[Difference]:
    if work.doi not in held.dois:
        yield Difference("doi", " ".join(held.dois), work.doi)
    if held.titles and work.title and not any(_is_same(each, work.title) for each in held.titles):
        yield Difference("title", held.title, work.title)
    if held.issns and work.issns and set(held.issns).isdisjoint(work.issns):
        yield Difference("issn", " ".join(held.issns), " ".join(work.issns))
    if held.dates and work.dates and not any(_is_one_date(*each) for each in product(held.dates, work.dates)):
        yield Difference("date", " ".join(held.dates), " ".join(work.dates))


def _is_one_date(ours: str, theirs: str) -> bool:
    """Tell whether two dates are the same as far as both go: a year says nothing against a day in it."""
    return ours.startswith(theirs) or theirs.startswith(ours)


def _is_same(ours: str, theirs: str) -> bool:
    """Tell whether two titles are the same but for case, accents and marks, or one goes on where the other ends."""
    one, other = letters(ours), letters(theirs)
    return bool(one and other) and (one.startswith(other) or other.startswith(one))
