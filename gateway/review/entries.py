"""The entries of the list of decisions: what one person decided at once, on one file or on many, is one entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import filterfalse, groupby
from typing import Final, NamedTuple

from gateway.core.model import Decision
from gateway.fulltext.decisions import RULE, standing

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


def can_undo(history: Iterable[Decision]) -> bool:
    """Return whether the last of all decisions on a copy can be taken back: there is one before it on these bytes."""
    *before, last = standing(history)
    return bool(before) and before[-1].sha256 == last.sha256
