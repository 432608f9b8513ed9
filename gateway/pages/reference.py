"""What a work is, as citations and pages show it: a view of its bibliography. Pure.

Nothing is guessed here: a part that the bibliography does not have stays empty.
"""

from __future__ import annotations

from typing import NamedTuple

from gateway.core import bibliography
from gateway.core.bibliography.dates import date_of, iso_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.model import Agent, Identifier, Text, Title, Work
from gateway.pages.kinds import WORK, Kind, kind_of

Author = Agent


class Reference(NamedTuple):
    """The facts about a work. `date` is as the record has it, `year` a number in it; 0 and empty mean: not stated.

    `place` says in the words of the record where the work was published; the journal and its numbers are read from it.
    `type` is the label of a COAR resource type. Between the paragraphs of an abstract is an empty line.
    """

    title: str = ""
    title_language: str = ""
    other_titles: tuple[Title, ...] = ()
    authors: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    kind: Kind = WORK
    type: str = ""
    types: tuple[str, ...] = ()
    date: str = ""
    year: int = 0
    place: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    sources: tuple[str, ...] = ()
    publisher: str = ""
    language: str = ""
    abstracts: tuple[Text, ...] = ()
    subjects: tuple[Text, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    issn: str = ""
    isbn: str = ""
    license: str = ""
    rights: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()

    @property
    def doi(self) -> str:
        """The DOI without its resolver, or an empty string."""
        return next((entry.text for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def doi_url(self) -> str:
        """The address that resolves the DOI, or an empty string."""
        return next((entry.url for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def language_tag(self) -> str:
        """The language as BCP 47 has it."""
        return self.language

    @property
    def pages(self) -> str:
        """The first page, or first and last, or an empty string."""
        return "\u2013".join(filter(None, (self.first_page, self.last_page)))


def reference_of(work: Work) -> Reference:
    """Return what is shown and cited of a work."""
    known = bibliography.of(work)
    languages = known.languages
    title = title_of(known.titles, languages[0] if languages else "")
    date, year = date_of(known.dates)
    host = known.host
    identifiers = of_relation(known.identifiers)
    return Reference(
        title=title.text,
        title_language=title.language,
        other_titles=tuple(other for other in known.titles if other.text != title.text),
        authors=authors_of(known.agents),
        contributors=tuple(agent for agent in known.agents if not agent.is_author),
        kind=kind_of(known.type),
        type=known.type,
        types=known.types,
        date=iso_of(date) or next((entry.text for entry in known.dates), ""),
        year=year,
        place=host.text,
        journal=host.title,
        volume=host.volume,
        issue=host.issue,
        first_page=host.first_page,
        last_page=host.last_page,
        sources=known.sources,
        publisher=next(iter(known.publishers), ""),
        language=next(iter(languages), ""),
        abstracts=known.descriptions,
        subjects=known.subjects,
        identifiers=identifiers,
        issn=host.issn or next((entry.text for entry in identifiers if entry.scheme == "issn"), ""),
        isbn=next((entry.text for entry in identifiers if entry.scheme == "isbn"), "") or host.isbn,
        license=work.license,
        rights=known.rights,
        coverage=known.coverage,
    )
