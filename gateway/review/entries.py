"""What one person decided at once, on one file or on many: entries of the list, and the message with a way to undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import filterfalse, groupby
from typing import Final, NamedTuple

from gateway.core.model import Decision, User
from gateway.fulltext.decisions import RULE, standing
from gateway.review.frame import number_in
from gateway.review.listing import Listing
from gateway.store.base import Discovery

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


class Status(NamedTuple):
    """The last decision of the user: its verdict, on how many files, and its `number`.

    `is_undoing`: it took back another one, so `verdict` is in force again. `can_undo`: a further step back is possible.
    """

    verdict: str
    number: int
    files: int
    title: str
    is_undoing: bool
    can_undo: bool


def status_of(open_discovery: Callable[[], Discovery], listing: Listing, user: User, done: str) -> Status | None:
    """Return the decision whose number the address has (`done`).

    None if it is not the user's, or not in force, or if the file is taken down.
    """
    number = number_in(done)
    if not number:
        return None
    discovery = open_discovery()
    listed = next(iter(discovery.copies_of_decisions((number,))), None)
    if listed is None or listed.decision.number != number or listed.decision.decided_by != user.name:
        return None
    if listing.is_withdrawn(listed):
        return None
    copy, decision = listed
    count = len(discovery.decisions_of_entry(number))
    is_possible = can_undo(discovery.history(copy.identifier, copy.url))
    return Status(decision.verdict, number, count, copy.title or copy.identifier, decision.is_undoing, is_possible)
