"""How many answers of ListIdentifiers one run reads to compare its lists with, where nothing speaks against them."""

from __future__ import annotations

MOST_ANSWERS = 4  # of one run


class Answers:
    """The answers that a run may read: four in all, and of each list one at least.

    A list leaves one for each list that comes after it. `lists_to_come` is how many these are.
    """

    def __init__(self) -> None:
        """Begin a run of one list."""
        self._read = 0
        self.lists_to_come = 0

    @property
    def share(self) -> int:
        """How many may be read for the present list."""
        return max(1, MOST_ANSWERS - self._read - self.lists_to_come)

    def read(self, answers: int) -> None:
        """Note that so many were read."""
        self._read += answers
