"""Lists of decisions, for reviewers: the newest first, or those with some numbers."""

import json
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from gateway.core.model import Decision, DecisionFilter, FoundCopy, ListedCopy
from gateway.store.connector import Connector, Session
from gateway.store.discovery_rows import decision_of, found_copy_of, listed_copy_of
from gateway.store.queries import load

SQL = load("discovery")

# One text for each list of decisions and both directions.
LATEST: Mapping[tuple[str, bool], str] = MappingProxyType(
    {
        (name, is_back): SQL[name].format(follows=">" if is_back else "<", direction="asc" if is_back else "desc")
        for name in ("decisions_latest", "decisions_of_person", "decisions_of_source")
        for is_back in (False, True)
    }
)


def enter(session: Session, decisions: Sequence[Decision]) -> None:
    """Note that decisions that were just added are one entry; a single one needs no note."""
    if len(decisions) > 1:
        rows = [session.one(SQL["decision_last"], (decision.identifier, decision.url)) for decision in decisions]
        numbers = [decision_of(row).number for row in rows if row]
        session.executemany(SQL["decision_entered"], [(number, numbers[0]) for number in numbers])


class DecisionLists:
    """The part of `Discovery` that lists decisions."""

    _file: Connector

    def deciders(self) -> tuple[str, ...]:
        """Return the names under which something was decided, sorted; `rule` is among them."""
        return tuple(name for (name,) in self._file.rows(SQL["deciders"]))

    def steps_of_copies(self) -> tuple[str, ...]:
        """Return the steps of searches that found the files with a decision, sorted."""
        return tuple(name for (name,) in self._file.rows(SQL["steps_of_copies"]))

    def latest_decisions(
        self, wanted: DecisionFilter, place: tuple[int, int], limit: int, *, is_back: bool = False
    ) -> tuple[tuple[Decision, int], ...]:
        """Return at most `limit` decisions before a second and a number, the newest first, with their entries.

        With `is_back`, return the ones that were made next after this place, also the newest first. Decisions that were
        written at once by `decide_next` have the same entry.
        """
        at, number = place
        asked = {**wanted._asdict(), "at": at, "number": number, "limit": limit}
        with self._file.reading() as session:
            rows = [
                row
                for source in wanted.sources or ("",)
                for row in session.execute(
                    _latest(wanted, source, is_back=is_back), {**asked, "source": source}
                ).fetchall()
            ]
        decisions = [(decision_of(row[:-1]), row[-1]) for row in rows]
        nearest = sorted(decisions, key=lambda entered: (entered[0].at, entered[0].number), reverse=not is_back)[:limit]
        return tuple(reversed(nearest) if is_back else nearest)

    def decisions_of_entry(self, number: int) -> tuple[Decision, ...]:
        """Return the decisions of the entry to which the decision with a number belongs, the newest first."""
        return tuple(map(decision_of, self._file.rows(SQL["decisions_of_entry"], {"number": number})))

    def copies_of_decisions(self, numbers: Collection[int]) -> tuple[ListedCopy, ...]:
        """Return the copies that the decisions with these numbers are on, each with the last decision on it."""
        return tuple(map(listed_copy_of, self._file.rows(SQL["copies_of_decisions"], (json.dumps(sorted(numbers)),))))

    def copies_with(self, sha256: str, limit: int, sources: tuple[str, ...] = ()) -> tuple[FoundCopy, ...]:
        """Return at most `limit` copies that had these bytes in the last search for their items.

        `sources` are those whose items count; empty: all.
        """
        asked = {"sha256": sha256, "limit": limit, "sources": json.dumps(sources)}
        return tuple(map(found_copy_of, self._file.rows(SQL["copies_with"], asked)))


def _latest(wanted: DecisionFilter, source: str, *, is_back: bool) -> str:
    """Return the query that reads from the index of a person, of a source, or of all decisions."""
    of_source = "decisions_of_source" if source else "decisions_latest"
    return LATEST["decisions_of_person" if wanted.decided_by else of_source, is_back]
