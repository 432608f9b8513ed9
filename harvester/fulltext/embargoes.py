"""Embargoes: which pages and sites are under one, and when an item is searched for again. Pure.

The record, or the repository that registered the DOI with DataCite, states the end of an embargo. It applies to all
files at the same site. A statement of another service about a copy applies to that copy alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gateway.fulltext.search_result import UNNAMED
from gateway.xmltext import utc_datetime
from harvester.fulltext.known_copies import Copy
from harvester.http.dates import moment_of
from harvester.http.urls import site_of

STEP = "embargo"  # the trace for statements of the record itself
_KEEPERS = ("record", "datacite:")  # beginnings of evidence from the record or its registry
_RESOLVERS = frozenset(("doi.org", "handle.net"))  # they lead to other sites
_LONGEST_SECONDS = 366 * 86_400  # an embargo may be shortened, or its end wrong
_UNNAMED_SECONDS = 180 * 86_400  # until the next search for an embargo without a day
_LATE_SECONDS = 30 * 86_400  # a file may be some days late


@dataclass(slots=True)
class Embargoes:
    """The embargoes that are known in one search. `today` is a date (`2027-01-31`)."""

    today: str
    sites: dict[str, str] = field(default_factory=dict)  # site: day on which its files become available
    pages: set[str] = field(default_factory=set)
    shut: set[str] = field(default_factory=set)  # sites whose files are restricted, by the record or its registry

    def hold(self, copies: Iterable[Copy]) -> tuple[Copy, ...]:
        """Return the pages among these that are under an embargo, and store them and their sites."""
        held = []
        for copy in copies:
            site = site_of(copy.url)
            if copy.evidence.startswith(_KEEPERS) and site not in _RESOLVERS:
                if copy.is_shut:
                    self.shut.add(site)
                if copy.open_from > self.today:
                    self.sites[site] = max(copy.open_from, self.sites.get(site, ""))
            later = self.of(copy)
            if copy.is_page and later.open_from > self.today and site not in _RESOLVERS:
                self.pages.add(copy.url)
                held.append(later)
        return tuple(held)

    def of(self, copy: Copy) -> Copy:
        """Return a copy with the day on which it becomes available: its own or that of its site, the later one.

        At a site with restricted files, stated licences of copies are ignored.
        """
        if site_of(copy.url) in self.shut:
            copy = copy._replace(license="", license_url="")
        return copy._replace(open_from=max(copy.open_from, self.sites.get(site_of(copy.url), "")))


def next_day(days: Iterable[str], at: int) -> str:
    """Return the first future day of these, else the last one within 30 days before `at` (Unix second); empty: none.

    A file may be late after an embargo, so it is searched for once more.
    """
    today, recently = utc_datetime(at)[:10], utc_datetime(at - _LATE_SECONDS)[:10]
    known = set(days)
    return min((day for day in known if day > today), default="") or max(
        (day for day in known if recently < day <= today), default=""
    )


def due_at(day: str, at: int) -> int:
    """Return the Unix second when an item with this day is due, at most a year ahead; 0: not due again.

    With an unknown day, it is due in 180 days.
    """
    if day == UNNAMED:
        return at + _UNNAMED_SECONDS
    second = moment_of(day) if day else None
    if second is None:
        return 0
    return min(second if second > at else second + _LATE_SECONDS, at + _LONGEST_SECONDS)
