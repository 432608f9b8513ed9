"""The limit of answers of ListIdentifiers that one run reads to compare with its lists, if there are no doubts."""

from __future__ import annotations

MOST_ANSWERS = 4  # of one run


class Answers:
    """The answers that a run may still read: four in all, and at least one per list.

    A list leaves one for each later list. `lists_to_come` is the number of later lists.
    """

    def __init__(self) -> None:
        """Begin a run of one list."""
        self._read = 0
        self.lists_to_come = 0

    @property
    def share(self) -> int:
        """How many answers may be read for the current list."""
        return max(1, MOST_ANSWERS - self._read - self.lists_to_come)

    def read(self, answers: int) -> None:
        """Count answers that were read."""
        self._read += answers
