"""The scope of an audit (journals, members of Crossref or DOI prefixes), and its addresses at Crossref. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote, urlencode

from gateway.core.bibliography.identifiers import is_issn
from gateway.core.errors import ConfigurationError
from harvester.audit.crossref import FIELDS

_LONGEST_NAME = 100  # characters
ROWS = 1000  # the most works in one answer of Crossref
_ISSN, _MEMBER, _PREFIX = re.compile(r"\d{4}-\d{3}[\dX]"), re.compile(r"\d{1,9}"), re.compile(r"10\.\d{4,9}(\.\d+)*")


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
        return not self._issns.isdisjoint(issns) or any(doi.partition("/")[0] in self.prefixes for doi in dois)

    @property
    def _issns(self) -> frozenset[str]:
        return frozenset(self.issns)

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
