"""The few answers of ListIdentifiers that one run reads to compare with its lists, if there are no doubts."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

MOST_ANSWERS = 4  # of one run
_MOST_PLACES = 4


class Answers:
    """The answers that a run may still read: four in all, and at least one per list.

    A list leaves one for each later list. `lists_to_come` is the number of later lists. `chance` returns a random
    number below 1, so that each run compares other places of a list.
    """

    def __init__(self, chance: Callable[[], float] | None = None) -> None:
        """Begin a run of one list."""
        self._read = 0
        self.lists_to_come = 0
        self.chance = chance or Random().random  # noqa: S311 - nothing secret

    @property
    def share(self) -> int:
        """How many answers may be read for the current list."""
        return max(1, MOST_ANSWERS - self._read - self.lists_to_come)

    def read(self, answers: int) -> None:
        """Count answers that were read."""
        self._read += answers


class Places:
    """The dates of some pages of a list, each page as likely as any other."""

    def __init__(self, chance: Callable[[], float]) -> None:
        """Begin a list; `chance` is that of `Answers`."""
        self._chance, self._pages = chance, 0
        self.dates: list[str] = []

    def add(self, date: str) -> None:
        """Take the date of a page."""
        self._pages += 1
        if len(self.dates) < _MOST_PLACES:
            self.dates.append(date)
        elif self._chance() < _MOST_PLACES / self._pages:
            self.dates[int(self._chance() * _MOST_PLACES)] = date
