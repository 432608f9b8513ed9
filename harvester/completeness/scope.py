"""What an audit is about (journals, members of Crossref, prefixes of DOIs), and how Crossref is asked for it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote, urlencode

from gateway.errors import ConfigurationError
from harvester.wire.crossref_works import FIELDS
from harvester.wire.identifiers import is_issn

_LONGEST_NAME = 100  # characters
ROWS = 1000  # the most that Crossref gives in one answer
_ISSN, _MEMBER, _PREFIX = re.compile(r"\d{4}-\d{3}[\dX]"), re.compile(r"\d{1,9}"), re.compile(r"10\.\d{4,9}(\.\d+)*")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is asked for: one kind of things, and those of them. `since` is a day: only what was indexed from then on.

    `issns` and `prefixes` tell by what a record that is held belongs to it.
    """

    kind: str  # issn, member or prefix, as Crossref calls its filters
    values: tuple[str, ...]
    since: str = ""
    issns: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A name for files: the same for the same question, and for no other."""
        name = "-".join((self.kind, *self.values, *filter(None, (self.since,))))
        return (
            name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}-{sha256(name.encode()).hexdigest()[:16]}"
        )

    def holds(self, dois: tuple[str, ...], issns: tuple[str, ...]) -> bool:
        """Tell whether a record with these DOIs and ISSNs belongs to it."""
        return not self._issns.isdisjoint(issns) or any(doi.partition("/")[0] in self.prefixes for doi in dois)

    @property
    def _issns(self) -> frozenset[str]:
        return frozenset(self.issns)

    def address(self, base: str, mailto: str, rows: int, cursor: str = "", window: tuple[str, str] = ("", "")) -> str:
        """Return how Crossref is asked for a part of the list; `window` bounds the days on which DOIs were created."""
        bounds = ("from-index-date", self.since), ("from-created-date", window[0]), ("until-created-date", window[1])
        filters = [*((self.kind, each) for each in self.values), *(pair for pair in bounds if pair[1])]
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
    """Return what options ask for. Raise ConfigurationError when it is not one kind of things, rightly written."""
    given = {"issn": issns, "member": members, "prefix": prefixes}
    kinds = [kind for kind, values in given.items() if values]
    if len(kinds) != 1:
        raise ConfigurationError("Say what is to be audited by one of --issn, --member and --prefix, each repeatable.")
    kind, values = kinds[0], tuple(sorted(each.strip().upper() for each in given[kinds[0]]))
    pattern = {"issn": _ISSN, "member": _MEMBER, "prefix": _PREFIX}[kind]
    for each in values:
        if not pattern.fullmatch(each) or (kind == "issn" and not is_issn(each)):
            raise ConfigurationError(f"{each} is no {_CALLED[kind]}.")
    return Scope(kind, values, since[:10], values if kind == "issn" else (), values if kind == "prefix" else ())


_CALLED = {"issn": "ISSN (1234-5679)", "member": "number of a member of Crossref", "prefix": "prefix of DOIs (10.1234)"}


def described_at(base: str, kind: str, value: str, mailto: str) -> str:
    """Return where Crossref describes a journal or a member."""
    query = "?" + urlencode({"mailto": mailto}) if mailto else ""
    return f"{base.rstrip('/')}/{'journals' if kind == 'issn' else 'members'}/{quote(value)}{query}"
