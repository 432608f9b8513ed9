"""Read the list of Crossref for a scope into the ledger, by cursor. A long list is read in windows of one year.

Cursors of Crossref expire within minutes. An audit that continues later reads its present window again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

from gateway.core.errors import AnswerError, ConfigurationError, GatewayError, RemoteRefuses, TryLater
from gateway.core.xmltext import utc_datetime
from harvester.audit.crossref import Works, read_agency, read_journal, read_member, read_works
from harvester.audit.ledger import Ledger, Window
from harvester.audit.scope import ROWS, Scope, described_at
from harvester.http.messages import Fetch, Fetched, Request

_WHOLE = 20  # answers; a longer list is read in windows
_FIRST_YEAR = 2002  # no DOI of Crossref was created earlier
_JSON = (("Accept", "application/json"),)


@dataclass(frozen=True, slots=True)
class Listing:
    """The requests to Crossref and doi.org for one scope. `mailto` is the address that identifies us to Crossref."""

    fetch: Fetch
    ledger: Ledger
    scope: Scope
    crossref_url: str
    doi_url: str
    mailto: str
    show: Callable[[int], None] = lambda _received: None
    rows: int = ROWS

    def known(self) -> Scope:
        """Return the scope with all ISSNs of its journals and all prefixes of its members.

        Raise ConfigurationError when Crossref does not know a journal or a member.
        """
        read = {"issn": read_journal, "member": read_member}.get(self.scope.kind)
        if read is None:
            return self.scope
        sentences: list[str] = []
        for value in self.scope.values:
            document = read(self._asked(described_at(self.crossref_url, self.scope.kind, value, self.mailto)))
            if document is None:
                raise ConfigurationError(f"Crossref knows no {self.scope.kind} {value}.")
            sentences += document
        names = tuple(dict.fromkeys((*sentences, *self.scope.issns)))
        return replace(self.scope, issns=names) if self.scope.kind == "issn" else replace(self.scope, prefixes=names)

    def begin(self, now: int) -> None:
        """Request the length of the list, and store its windows; `now` is the second since 1970.

        Raise a GatewayError when Crossref cannot be asked.
        """
        total = self._part(self.scope.address(self.crossref_url, self.mailto, 0)).total
        windows = [("", "")] if total <= _WHOLE * self.rows else _years(int(utc_datetime(now)[:4]))
        self.ledger.begin({"asked_at": str(now), "scope": self.scope.name}, windows)

    def walk(self, check: Callable[[], None]) -> None:
        """Read the rest of the list. `check` is called before each request and may raise to end it.

        Raise a GatewayError when Crossref cannot be asked.
        """
        while window := self.ledger.next_window():
            check()
            self._step(window)

    def _step(self, window: Window) -> None:
        try:
            part = self._part(self._address(window))
        except (RemoteRefuses, AnswerError, TryLater):
            if window.cursor == "*":
                raise
            window = Window(window.since, window.until)  # the cursor has expired
            part = self._part(self._address(window))
        received = window.received + part.received
        is_short = part.received < self.rows and received >= part.total
        is_done = not part.received or not part.cursor or is_short
        reached = window._replace(cursor=part.cursor, received=received)
        self.ledger.receive(reached, part.works, part.total, is_done=is_done)
        self.show(received)

    def _address(self, window: Window) -> str:
        return self.scope.address(self.crossref_url, self.mailto, self.rows, window.cursor, window[:2])

    def _part(self, url: str) -> Works:
        part = read_works(self._asked(url))
        if part is None:
            raise AnswerError(f"Crossref has nothing at {url[:300]}.")
        return part

    def _asked(self, url: str) -> Fetched:
        return self.fetch(Request(url, headers=_JSON))

    def ask_agencies(self, check: Callable[[], None]) -> list[str]:
        """Ask doi.org for the agency of each DOI that Crossref does not list. Return a sentence when it fails.

        Raise ConfigurationError for wrong settings, StoreError when the ledger cannot be read, and the errors of
        `check`.
        """
        for doi in self.ledger.strays():
            check()
            try:
                url = f"{self.doi_url.rstrip('/')}/ra/{quote(doi, safe='/:;()._-')}"
                self.ledger.set_agency(doi, read_agency(self._asked(url)))
            except ConfigurationError:
                raise
            except GatewayError as error:
                return [f"The registration agencies of DOIs that Crossref does not list are unknown: {error}"]
        return []


def _years(last: int) -> list[tuple[str, str]]:
    first = ("2000-01-01", f"{_FIRST_YEAR}-12-31")
    return [first, *((f"{year}-01-01", f"{year}-12-31") for year in range(_FIRST_YEAR + 1, last + 1))]
