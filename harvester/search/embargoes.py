"""What may not be had yet: which pages and sites are under an embargo, and when an item is searched for again. Pure.

Who keeps a file says itself until when it is withheld: the record of it, or whoever registered its DOI with DataCite.
That is believed of all that stands at the same site. What another service says of a copy counts for that copy alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gateway.xmltext import utc_datetime
from harvester.wire.access import UNNAMED
from harvester.wire.copies import Copy
from harvester.wire.dates import moment_of
from harvester.wire.urls import site_of

STEP = "embargo"  # the trace of what a record says itself
_KEEPERS = ("record", "datacite:")  # how the evidence of a keeper's word begins
_RESOLVERS = frozenset(("doi.org", "handle.net"))  # they lead to other sites
_LONGEST_SECONDS = 366 * 86_400  # an embargo may be shortened, and its end be a slip of the pen
_UNNAMED_SECONDS = 180 * 86_400  # until somebody asks again about an embargo without a day
_LATE_SECONDS = 30 * 86_400  # a file may come some days after its embargo


@dataclass(slots=True)
class Embargoes:
    """The embargoes that are known in one search; `today` is a date."""

    today: str
    sites: dict[str, str] = field(default_factory=dict)  # from which day on something may be had of them
    pages: set[str] = field(default_factory=set)
    shut: set[str] = field(default_factory=set)  # sites whose keeper says that not everybody may have its files

    def hold(self, copies: Iterable[Copy]) -> tuple[Copy, ...]:
        """Return the pages among these that may not be visited yet, and remember them and their keepers' sites."""
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
        """Return a copy with the day from which on it may be had, of its own or of its site; the later one counts.

        Where its keeper says that not everybody may have it, no licence is believed of what stands at the same site.
        """
        if site_of(copy.url) in self.shut:
            copy = copy._replace(license="", license_url="")
        return copy._replace(open_from=max(copy.open_from, self.sites.get(site_of(copy.url), "")))


def next_day(days: Iterable[str], at: int) -> str:
    """Return the first of these days that lies ahead, else the last one that is not 30 days ago; empty: there is none.

    Soon after an embargo a file may be late, and is searched for once more.
    """
    today, recently = utc_datetime(at)[:10], utc_datetime(at - _LATE_SECONDS)[:10]
    known = set(days)
    return min((day for day in known if day > today), default="") or max(
        (day for day in known if recently < day <= today), default=""
    )


def due_at(day: str, at: int) -> int:
    """Return the second in which an item is due that opens on a day, at most a year ahead; 0: it is not due again.

    Where nobody names the day, it is due in 180 days.
    """
    if day == UNNAMED:
        return at + _UNNAMED_SECONDS
    second = moment_of(day) if day else None
    if second is None:
        return 0
    return min(second if second > at else second + _LATE_SECONDS, at + _LONGEST_SECONDS)
