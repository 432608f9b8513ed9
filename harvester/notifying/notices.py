"""When which notice is due, and how it reads. Pure.

One notice a day for each source, however much is wrong and however often it changes; one more when nothing is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from harvester.notifying.concerns import Concern, Need

DAY_SECONDS = 86_400

# What the subject of a notice says; of several the first of this order.
_SUBJECTS: Mapping[Need, str] = {
    Need.CLOCK: "the clock is wrong",
    Need.IDENTITY: "is another repository, or says so",
    Need.DELETIONS: "deletions wait for a decision",
    Need.FAILING: "runs fail",
    Need.DOUBTFUL: "files are doubtful",
}


class Told(NamedTuple):
    """What was told of a source: when the last notice of a concern was sent, and of which; none: it is well."""

    at: int
    needs: tuple[str, ...]


class Notice(NamedTuple):
    """One notice about `subject`: a source, or the folder of a mirror."""

    subject: str
    concerns: tuple[Concern, ...]

    @property
    def is_well(self) -> bool:
        """Whether it says that nothing is wrong any more."""
        return not self.concerns

    @property
    def title(self) -> str:
        """Say it in a line."""
        if self.is_well:
            return f"{self.subject} is well again"
        needs = {each.need for each in self.concerns}
        first, *others = (words for need, words in _SUBJECTS.items() if need in needs)
        return f"{self.subject}: {first}{f', and {len(others)} more' if others else ''}"

    @property
    def text(self) -> str:
        """Say it whole."""
        if self.is_well:
            return f"{self.subject} needs nobody any more."
        return "\n\n".join(each.sentence for each in self.concerns)


def due(subject: str, concerns: Sequence[Concern], told: Told | None, now: int) -> Notice | None:
    """Return the notice that is due now; None: none is."""
    if not concerns:
        return Notice(subject, ()) if told and told.needs else None
    # A moment that is still to come was noted by a wrong clock.
    is_silent = told is not None and 0 <= now - told.at < DAY_SECONDS
    return None if is_silent else Notice(subject, tuple(concerns))


def after(notice: Notice, told: Told | None, now: int) -> Told:
    """Return what is to be remembered when a notice was sent."""
    if notice.is_well:
        return Told(told.at if told else now, ())
    return Told(now, tuple(each.need.value for each in notice.concerns))
