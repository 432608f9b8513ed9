"""Embargoes: which pages and sites are under one, and when an item is searched for again. Pure.

The record, or the repository that registered the DOI with DataCite, states the end of an embargo. It applies to all
files at the same site. A statement of another service about a copy applies to that address alone, also if other
services name it.

A DOI or a handle leads to a site that is not known before it is requested. A handle leads to the repository of the
record, and a DOI of DataCite to its own repository, so the embargo applies there too. A DOI of Crossref leads to a
publisher, and the embargo of a record does not apply.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import UNNAMED
from harvester.fulltext.known_copies import DATACITE, Copy
from harvester.http.dates import moment_of
from harvester.http.urls import site_of, without_scheme

STEP = "embargo"  # the trace for statements of the record itself
_REGISTERED = f"{DATACITE}:"  # the beginning of evidence from DataCite
_KEEPERS = ("record", _REGISTERED)  # beginnings of evidence from the record or its registry
_RESOLVERS = frozenset(("doi.org", "handle.net"))  # they lead to other sites
_RESOLVED = "record:resolver"  # the evidence of the DOI and handle of the record as pages
_LONGEST_SECONDS = 366 * 86_400  # an embargo may be shortened, or its end wrong
_UNNAMED_SECONDS = 180 * 86_400  # until the next search for an embargo without a day
_SOON_SECONDS = 2 * 86_400  # midnight is later elsewhere, and `until` may include the day
_LATE_SECONDS = 30 * 86_400  # a file may be some days late


@dataclass(slots=True)
class Embargoes:
    """The embargoes that are known in one search. `today` is a date (`2027-01-31`).

    `own_day` and `is_own_shut` are what the record states: the end of an embargo, and restricted files without an end.
    Addresses are without their scheme.
    """

    today: str
    own_day: str = ""
    is_own_shut: bool = False
    sites: dict[str, str] = field(default_factory=dict)  # site: day on which its files become available
    days: dict[str, str] = field(default_factory=dict)  # the same of addresses
    pages: set[str] = field(default_factory=set)  # addresses of withheld pages
    shut: set[str] = field(default_factory=set)  # sites whose files are restricted, by the record or its registry
    leading: set[str] = field(default_factory=set)  # addresses that lead to such sites

    def hold(self, copies: Iterable[Copy]) -> tuple[Copy, ...]:
        """Return the pages among these that are under an embargo, and store them, their addresses and sites."""
        held = []
        for copy in map(self._stated, copies):
            site, is_own = site_of(copy.url), copy.evidence.startswith(_KEEPERS)
            if is_own and copy.is_shut:
                self._shut(copy.url)
            if is_own and copy.open_from > self.today and site not in _RESOLVERS:
                self.sites[site] = max(copy.open_from, self.sites.get(site, ""))
            later = self.of(copy)
            # At a resolver, only a handle and a checked DOI lead to the repository of the record.
            leads_to_its_own = (is_own and site != "doi.org") or copy.evidence == _RESOLVED
            if later.open_from > self.today and (site not in _RESOLVERS or leads_to_its_own):
                self.days[without_scheme(copy.url)] = later.open_from
                if copy.is_page:
                    self.pages.add(without_scheme(copy.url))
                    held.append(later)
        return tuple(held)

    def resolvers(self, urls: Iterable[str]) -> tuple[Copy, ...]:
        """Return the addresses of the work at resolvers as pages to `hold`, with what the record states."""
        new = (url for url in urls if without_scheme(url) not in self.pages | self.leading)
        page = Copy("", is_page=True, evidence=_RESOLVED, open_from=self.own_day, is_shut=self.is_own_shut)
        return tuple(page._replace(url=url) for url in new)

    def arrive(self, redirects: Mapping[str, str]) -> None:
        """Store the sites to which these redirects lead, in their order, if files there are restricted."""
        for url, there in redirects.items():
            if without_scheme(url) in self.leading:
                self._shut(there)

    def of(self, copy: Copy) -> Copy:
        """Return a copy with the day on which it becomes available: that of its address or site, the later one.

        At a site with restricted files, stated licences of copies are ignored.
        """
        site = site_of(copy.url)
        if site in self.shut:
            copy = copy._replace(license="", license_url="")
        days = (copy.open_from, self.sites.get(site, ""), self.days.get(without_scheme(copy.url), ""))
        return copy._replace(open_from=max(days))

    def _stated(self, copy: Copy) -> Copy:
        """Return a copy, if DataCite registered it, with what the record states too."""
        if not copy.evidence.startswith(_REGISTERED):
            return copy
        return copy._replace(open_from=max(copy.open_from, self.own_day), is_shut=copy.is_shut or self.is_own_shut)

    def _shut(self, url: str) -> None:
        self.leading.add(without_scheme(url))
        if site_of(url) not in _RESOLVERS:
            self.shut.add(site_of(url))


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

    After the day, it is due once more after two days, and then after 30. With an unknown day, it is due in 180 days.
    """
    if day == UNNAMED:
        return at + _UNNAMED_SECONDS
    second = moment_of(day) if day else None
    if second is None:
        return 0
    due = next((due for due in (second, second + _SOON_SECONDS) if due > at), second + _LATE_SECONDS)
    return min(due, at + _LONGEST_SECONDS)
