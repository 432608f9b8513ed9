"""Parsers of the answers of Crossref (works, journals, members) and of doi.org (registration agencies). Pure."""

import json
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from gateway.core.errors import AnswerError
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetched
from harvester.xml.parsing import refuse_heavy_json

# Types with a DOI that are not works: containers of works, and parts of works.
_NO_WORKS = frozenset(
    (
        *("journal", "journal-volume", "journal-issue", "proceedings-series", "book-series", "book-set"),
        *("report-series", "reference-book-series", "component", "grant", "peer-review"),
    )
)
_DATES = ("issued", "published", "published-print", "published-online")
FIELDS = ("DOI", "type", "title", "subtitle", "container-title", "ISSN", *_DATES)


class Deposited(NamedTuple):
    """One work as its publisher deposited it. `dates` has all dates (2020, 2020-03, 2020-03-15), the issue first."""

    doi: str
    title: str = ""
    journal: str = ""
    issns: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    type: str = ""

    @property
    def years(self) -> tuple[str, ...]:
        """The years of its dates."""
        return years_of(self.dates)


def years_of(dates: Iterable[str]) -> tuple[str, ...]:
    """Return the years of dates, each once, in their order."""
    return tuple(dict.fromkeys(date[:4] for date in dates))


class Works(NamedTuple):
    """One answer of a list: the length of the list, the number of its items, the works, and the next cursor."""

    total: int
    received: int
    works: tuple[Deposited, ...]
    cursor: str


def read_works(fetched: Fetched) -> Works | None:
    """Return one answer of a list; None for an unknown cursor or scope.

    Raise AnswerError, and the other errors of `answered`.
    """
    document = answered(fetched, "Crossref")
    if document is None:
        return None
    items = parts(document, "message", "items")
    total = next((value for value in values(document, "message", "total-results") if isinstance(value, int)), None)
    if total is None:
        raise AnswerError("The answer of Crossref is not a list of works.")
    works = (_deposited(item) for item in items if text(item, "type") not in _NO_WORKS)
    return Works(total, len(items), tuple(work for work in works if work.doi), text(document, "message", "next-cursor"))


def _deposited(work: Node) -> Deposited:
    dates = (_date(values(work, name, "date-parts")) for name in _DATES)
    return Deposited(
        text(work, "DOI").lower(),
        ": ".join(filter(None, (text(work, "title"), text(work, "subtitle")))),
        text(work, "container-title"),
        tuple(dict.fromkeys(texts(work, "ISSN"))),
        tuple(dict.fromkeys(filter(None, dates))),
        text(work, "type"),
    )


def _date(parts: Iterable[object]) -> str:
    """Return a date of which year, or year and month, or all three are given; empty for none."""
    return "-".join(f"{part:02}" for part in islice(parts, 3) if isinstance(part, int))


def read_names(fetched: Fetched, field: str) -> tuple[str, ...] | None:
    """Return the texts in a field of a journal (`ISSN`) or a member (`prefixes`); None when Crossref does not know it.

    Errors are those of `answered`.
    """
    document = answered(fetched, "Crossref")
    return None if document is None else tuple(dict.fromkeys(texts(document, "message", field)))


def read_agency(fetched: Fetched) -> str:
    """Return the registration agency of a DOI from an answer of doi.org; empty when it is not registered.

    Raise what `answered` raises, AnswerError when it is unknown.
    """
    refuse_heavy_json(fetched.body)
    try:
        rows = json.loads(fetched.body)
    except (ValueError, RecursionError):
        rows = None
    document = answered(fetched, "doi.org") if not isinstance(rows, list) else {"rows": rows}
    agency, status = text(document, "rows", "RA"), text(document, "rows", "status")
    if not agency and status not in ("DOI does not exist", "Invalid DOI"):
        raise AnswerError(f"doi.org does not name the registration agency of a DOI: {status or 'no status'}.")
    return agency
