"""The entries of the list of decisions: what one person decided at once, on one file or on many, is one entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse, groupby
from typing import Final, NamedTuple

from gateway.fulltext.decisions import RULE, standing
from gateway.model import Decision

MOST: Final = 1_000  # files of one entry


class Entry(NamedTuple):
    """Decisions that were made at once, the newest first."""

    decisions: tuple[Decision, ...]

    @property
    def newest(self) -> Decision:
        """The newest decision. All have its person and second; if they undo others, their verdicts may differ."""
        return self.decisions[0]

    @property
    def oldest(self) -> Decision:
        """The oldest decision."""
        return self.decisions[-1]

    def without(self, is_hidden: Callable[[Decision], bool]) -> Entry | None:
        """Return the entry without its decisions on hidden files; None if no other is left."""
        left = tuple(filterfalse(is_hidden, self.decisions))
        return Entry(left) if left else None

    @property
    def is_of_person(self) -> bool:
        """Return whether a person decided, and did not undo."""
        return self.newest.decided_by != RULE and not self.newest.is_undoing


def entries_of(decisions: Iterable[tuple[Decision, int]]) -> Iterator[Entry]:
    """Yield the entries of decisions, given the newest first, each with the number of its entry."""
    for _, group in groupby(decisions, key=lambda entered: entered[1]):
        yield Entry(tuple(decision for decision, _ in group))


class Histories:
    """All decisions on copies, the oldest first. The decisions on each item are read once: it may have many copies."""

    def __init__(self, decisions: Callable[[str], Iterable[Decision]]) -> None:
        """Take the function that returns the decisions on an item."""
        self._decisions = decisions
        self._known: dict[str, dict[str, list[Decision]]] = {}

    def of(self, identifier: str, url: str) -> Sequence[Decision]:
        """Return the decisions on a copy. Raise StoreError."""
        if identifier not in self._known:
            by_url: dict[str, list[Decision]] = defaultdict(list)
            for decision in self._decisions(identifier):
                by_url[decision.url].append(decision)
            self._known[identifier] = dict(by_url)
        return self._known[identifier].get(url, ())


def can_undo(history: Iterable[Decision]) -> bool:
    """Return whether the last of all decisions on a copy can be taken back: there is one before it on these bytes."""
    *before, last = standing(history)
    return bool(before) and before[-1].sha256 == last.sha256
