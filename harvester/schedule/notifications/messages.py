"""The text of notices, and the times at which they are due. Pure.

At most one notice is sent per source and day, and one more when nothing is wrong any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from harvester.schedule.notifications.reasons import Concern, Need

DAY_SECONDS = 86_400

# Subjects of notices; of several concerns the first in this order counts.
_SUBJECTS: Mapping[Need, str] = {
    Need.CLOCK: "the clock is wrong",
    Need.IDENTITY: "is another repository, or says so",
    Need.DELETIONS: "deletions wait for a decision",
    Need.FAILING: "runs fail",
    Need.DOUBTFUL: "files are doubtful",
    Need.SUBSTANCE: "fewer full texts are found",
}


class SentNotice(NamedTuple):
    """The last notice about a source: its second since 1970, and its concerns; none: nothing is wrong."""

    at: int
    needs: tuple[str, ...]


class Notice(NamedTuple):
    """One notice about `subject`: a source, or the folder of a mirror."""

    subject: str
    concerns: tuple[Concern, ...]

    @property
    def is_well(self) -> bool:
        """Return whether nothing is wrong any more."""
        return not self.concerns

    @property
    def title(self) -> str:
        """The notice in one line."""
        if self.is_well:
            return f"{self.subject} needs no action any more"
        needs = {concern.need for concern in self.concerns}
        first, *others = (words for need, words in _SUBJECTS.items() if need in needs)
        return f"{self.subject}: {first}{f', and {len(others)} more' if others else ''}"

    @property
    def text(self) -> str:
        """The whole text of the notice."""
        if self.is_well:
            return f"{self.subject} needs no action any more."
        return "\n\n".join(concern.sentence for concern in self.concerns)


def due(subject: str, concerns: Sequence[Concern], last: SentNotice | None, now: int) -> Notice | None:
    """Return the notice that is due at the second `now`; None: none is due."""
    if not concerns:
        return Notice(subject, ()) if last and last.needs else None
    # A wrong clock may have dated the last notice in the future.
    is_silent = last is not None and 0 <= now - last.at < DAY_SECONDS
    return None if is_silent else Notice(subject, tuple(concerns))


def after(notice: Notice, last: SentNotice | None, now: int) -> SentNotice:
    """Return what must be stored after a notice was sent."""
    if notice.is_well:
        return SentNotice(last.at if last else now, ())
    return SentNotice(now, tuple(concern.need.value for concern in notice.concerns))
