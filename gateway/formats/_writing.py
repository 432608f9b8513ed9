"""What the writers of optional formats share: the facts of a work to show and to cite.

The facts come from the functions that pages and citations use, so that a work says the same in every format.
"""

from functools import lru_cache
from typing import NamedTuple

from gateway.core import bibliography
from gateway.core.addresses import address, is_address
from gateway.core.bibliography.dates import date_of, iso_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.model import Agent, Bibliography, DateType, FileLink, Identifier, Title, Work

UNKNOWN = ":unav"  # DataCite 4.6, Appendix 3: a value that is not available


class Kind(NamedTuple):
    """A word for the type of a work, and where it comes from."""

    word: str
    authority: str


class Facts(NamedTuple):
    """A work as it is shown and cited. `date` is as exact as ISO 8601 has it, `year` its year; empty and 0: unknown.

    `titles` are the titles besides `title`; `others` are the agents besides the authors.
    """

    known: Bibliography
    title: Title
    titles: tuple[Title, ...]
    authors: tuple[Agent, ...]
    others: tuple[Agent, ...]
    date: str
    year: int
    embargo_end: str
    identifiers: tuple[Identifier, ...]
    files: tuple[FileLink, ...]
    page: str
    license: str

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its type, by COAR, and the words for types that were stated."""
        words = dict.fromkeys(filter(None, (self.known.type, *self.known.types)))
        return tuple(Kind(word, "coar" if word == self.known.type else "") for word in words)


@lru_cache(maxsize=1)  # every format is written of one work after the other
def facts_of(work: Work) -> Facts:
    """Return the facts of a work."""
    known = bibliography.of(work)
    title = title_of(known.titles, known.languages[0] if known.languages else "")
    text, year = date_of(known.dates)
    ends = (iso_of(date.text.rpartition("/")[2]) for date in known.dates if date.type is DateType.EMBARGO_END)
    return Facts(
        known,
        title,
        tuple(other for other in known.titles if other.text != title.text),
        authors_of(known.agents),
        tuple(dict.fromkeys(agent for agent in known.agents if not agent.is_author)),
        iso_of(text) or (str(year) if year else ""),
        year,
        next(filter(None, ends), ""),
        of_relation(known.identifiers),
        tuple(file._replace(url=address(file.url)) for file in work.files if is_address(file.url)),
        address(work.landing_page) if is_address(work.landing_page) else "",
        work.license,
    )
