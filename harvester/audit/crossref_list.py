"""The scope of an audit (journals, members of Crossref or DOI prefixes), and its list at Crossref.

The list is read into the ledger by cursor, a long one in windows of one year. Cursors of Crossref expire within
minutes. An audit that continues later reads its present window again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from urllib.parse import quote, urlencode

from gateway.core.bibliography.identifiers import is_issn
from gateway.core.errors import AnswerError, ConfigurationError, GatewayError, RemoteRefuses, TryLater
from gateway.core.xmltext import utc_datetime
from harvester.audit.crossref import FIELDS, Works, read_agency, read_names, read_works
from harvester.audit.ledger import Ledger, Window
from harvester.http.messages import Fetch, Fetched, Request

_LONGEST_NAME = 100  # characters
ROWS = 1000  # the most works in one answer of Crossref
_ISSN, _MEMBER, _PREFIX = re.compile(r"\d{4}-\d{3}[\dX]"), re.compile(r"\d{1,9}"), re.compile(r"10\.\d{4,9}(\.\d+)*")
_WHOLE = 20  # answers; a longer list is read in windows
_FIRST_YEAR = 2002  # no DOI of Crossref was created earlier
_JSON = (("Accept", "application/json"),)


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of an audit: one kind of things, and their names. `since` is a day: only works indexed from then on.

    `issns` and `prefixes` decide whether a stored record belongs to it.
    """

    kind: str  # issn, member or prefix, as Crossref calls its filters
    values: tuple[str, ...]
    since: str = ""
    issns: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A file name that is unique for the scope."""
        name = "-".join((self.kind, *self.values, *filter(None, (self.since,))))
        return (
            name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}-{sha256(name.encode()).hexdigest()[:16]}"
        )

    def holds(self, dois: tuple[str, ...], issns: tuple[str, ...]) -> bool:
        """Return whether a record with these DOIs and ISSNs belongs to the scope."""
        return not set(self.issns).isdisjoint(issns) or any(doi.partition("/")[0] in self.prefixes for doi in dois)

    def address(self, base: str, mailto: str, rows: int, cursor: str = "", window: tuple[str, str] = ("", "")) -> str:
        """Return the URL of a part of the list; `window` has the first and the last day on which DOIs were created."""
        bounds = ("from-index-date", self.since), ("from-created-date", window[0]), ("until-created-date", window[1])
        filters = [*((self.kind, value) for value in self.values), *(pair for pair in bounds if pair[1])]
        arguments = {
            "filter": ",".join(f"{name}:{value}" for name, value in filters),
            "rows": str(rows),
            "cursor": cursor,
            "select": ",".join(FIELDS),
            "mailto": mailto,
        }
        query = urlencode({name: value for name, value in arguments.items() if value}, safe=":,*")
        return f"{base.rstrip('/')}/works?{query}"


def scope_of(issns: tuple[str, ...], members: tuple[str, ...], prefixes: tuple[str, ...], since: str) -> Scope:
    """Return the scope of the options. Raise ConfigurationError for several kinds, or for a malformed value."""
    given = {"issn": issns, "member": members, "prefix": prefixes}
    kinds = [kind for kind, values in given.items() if values]
    if len(kinds) != 1:
        raise ConfigurationError(
            "The audit needs one kind of scope. Give --issn, --member or --prefix, each once or more."
        )
    kind, values = kinds[0], tuple(sorted(value.strip().upper() for value in given[kinds[0]]))
    pattern = {"issn": _ISSN, "member": _MEMBER, "prefix": _PREFIX}[kind]
    for value in values:
        if not pattern.fullmatch(value) or (kind == "issn" and not is_issn(value)):
            raise ConfigurationError(f"{value} is not a valid {_CALLED[kind]}.")
    return Scope(kind, values, since[:10], values if kind == "issn" else (), values if kind == "prefix" else ())


_CALLED = {"issn": "ISSN (1234-5679)", "member": "number of a member of Crossref", "prefix": "DOI prefix (10.1234)"}


def described_at(base: str, kind: str, value: str, mailto: str) -> str:
    """Return the URL of the description of a journal or a member at Crossref."""
    query = "?" + urlencode({"mailto": mailto}) if mailto else ""
    return f"{base.rstrip('/')}/{'journals' if kind == 'issn' else 'members'}/{quote(value)}{query}"


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
        field = {"issn": "ISSN", "member": "prefixes"}.get(self.scope.kind)
        if field is None:
            return self.scope
        sentences: list[str] = []
        for value in self.scope.values:
            url = described_at(self.crossref_url, self.scope.kind, value, self.mailto)
            document = read_names(self._asked(url), field)
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
