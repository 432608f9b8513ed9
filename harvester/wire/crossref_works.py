"""Lists of works as Crossref gives them, and what it and doi.org say of journals, members and DOIs. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from gateway.errors import AnswerError
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts, values
from harvester.wire.parsing import refuse_heavy_json

# What has a DOI and is no work that anybody could hold: what works stand in, and parts of them.
_NO_WORKS = frozenset(
    (
        *("journal", "journal-volume", "journal-issue", "proceedings-series", "book-series", "book-set"),
        *("report-series", "reference-book-series", "component", "grant", "peer-review"),
    )
)
_DATES = ("issued", "published", "published-print", "published-online")
FIELDS = ("DOI", "type", "title", "subtitle", "container-title", "ISSN", *_DATES)


class Deposited(NamedTuple):
    """One work as its publisher deposited it. `dates` (2020, 2020-03, 2020-03-15) are all; the first is of issue."""

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
    return tuple(dict.fromkeys(each[:4] for each in dates))


class Works(NamedTuple):
    """A part of a list: how long it is in all, how many this answer brought, which are works, and how it goes on."""

    total: int
    received: int
    works: tuple[Deposited, ...]
    cursor: str


def read_works(fetched: Fetched) -> Works | None:
    """Return a part of a list; None when its cursor, or what is asked for, is not known. Errors are `answered`'s."""
    document = answered(fetched, "Crossref")
    if document is None:
        return None
    items = parts(document, "message", "items")
    total = next((each for each in values(document, "message", "total-results") if isinstance(each, int)), None)
    if total is None:
        raise AnswerError("Crossref answers something else than a list of works.")
    works = (_deposited(each) for each in items if text(each, "type") not in _NO_WORKS)
    return Works(total, len(items), tuple(each for each in works if each.doi), text(document, "message", "next-cursor"))


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
    return "-".join(f"{each:02}" for each in islice(parts, 3) if isinstance(each, int))


def read_journal(fetched: Fetched) -> tuple[str, ...] | None:
    """Return all ISSNs of a journal; None when Crossref does not know it."""
    document = answered(fetched, "Crossref")
    return None if document is None else tuple(dict.fromkeys(texts(document, "message", "ISSN")))


def read_member(fetched: Fetched) -> tuple[str, ...] | None:
    """Return the DOI prefixes of a member; None when Crossref does not know it."""
    document = answered(fetched, "Crossref")
    return None if document is None else tuple(dict.fromkeys(texts(document, "message", "prefixes")))


def read_agency(fetched: Fetched) -> str:
    """Return who registered a DOI, as doi.org answers; empty when nobody did.

    Raise what `answered` raises, AnswerError when it cannot be told.
    """
    refuse_heavy_json(fetched.body)
    try:
        rows = json.loads(fetched.body)
    except (ValueError, RecursionError):
        rows = None
    told = answered(fetched, "doi.org") if not isinstance(rows, list) else {"rows": rows}
    agency, status = text(told, "rows", "RA"), text(told, "rows", "status")
    if not agency and status not in ("DOI does not exist", "Invalid DOI"):
        raise AnswerError(f"doi.org does not tell who registered a DOI: {status or 'no status'}.")
    return agency
