"""The facts that a person needs to decide on a file: its record, its properties, and its stored copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gateway.fulltext.stored_search import candidates_of, published_of
from gateway.model import Candidate, Decision, Work
from gateway.settings import place_of_copy
from gateway.store.base import Discovery

_BATCH = 500
_YEAR = 4  # digits
UNKNOWN = "unknown"  # stands for a licence, version or kind that is not known


class Reviewed(NamedTuple):
    """A file with the decision in force on it. `candidate` is None if the last search did not check the file."""

    decision: Decision
    source: str = ""
    candidate: Candidate | None = None
    work: Work | None = None  # None if the item is deleted
    published: str = ""  # the year, empty if it is not known
    copy: Path | None = None  # None if no copy is stored
    host: str = ""  # of the address that the file comes from

    @property
    def score(self) -> float | None:
        """The score of the file; None if it is not known."""
        return self.candidate.score if self.candidate else None

    @property
    def version(self) -> str:
        """The version: that stated for this copy, else that in the file itself; empty if it is not known."""
        return (self.candidate.version or self.candidate.text_version) if self.candidate else ""

    def statements(self, element: str) -> tuple[str, ...]:
        """Return the texts of the record in a Dublin Core element."""
        return self.work.texts(element) if self.work else ()

    @property
    def year(self) -> str:
        """The year of publication as the services state it, else as the record does; empty if it is not known."""
        dates = (self.published, *(date[:_YEAR] for date in self.statements("date")))
        return next((date for date in dates if len(date) == _YEAR and date.isdecimal()), "")


def review_of(
    desk: Discovery,
    instance: Path,
    decision: Decision,
    *,
    work_of: Callable[[str, str], Work | None],
    host_of: Callable[[str], str],
) -> Reviewed:
    """Return the facts about a file that was decided on.

    `instance` is the instance folder. `work_of` returns the work of an item, given its identifier here and at its
    source, or None if it is deleted. `host_of` returns the host in an address. Raise StoreError.
    """
    state = desk.search(decision.identifier)
    if state is None:
        return Reviewed(decision, host=host_of(decision.url))
    candidate = next((candidate for candidate in candidates_of(state) if candidate.url == decision.url), None)
    place = place_of_copy(instance, decision.sha256)
    return Reviewed(
        decision,
        state.source,
        candidate,
        work_of(decision.identifier, state.upstream),
        published_of(state),
        place if decision.sha256 and place.is_file() else None,
        host_of((candidate and candidate.final_url) or decision.url),
    )


def decisions_in_force(desk: Discovery, verdict: str, after: str = "") -> Iterator[Decision]:
    """Yield all decisions in force with a verdict, of items after `after`, sorted by item and address."""
    position = (after, "\U0010ffff" if after else "")
    while batch := desk.decided(verdict, position, _BATCH):
        yield from batch
        position = (batch[-1].identifier, batch[-1].url)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of files. Fields that are empty or None do not matter; texts are compared without regard to case.

    `unknown` means a licence, version or kind that is not known.
    """

    source: str = ""
    host: str = ""
    step: str = ""
    license: str = ""
    version: str = ""
    kind: str = ""
    reason: str = ""  # words that the reason has
    least_score: float | None = None
    most_score: float | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether every file fits."""
        return self == Filter()

    def fits(self, file: Reviewed) -> bool:
        """Return whether a file fits."""
        candidate = file.candidate
        is_meant: tuple[Callable[[], bool], ...] = (
            lambda: self.source in ("", file.source),
            lambda: self.host.lower() in ("", file.host),
            lambda: self.step in ("", candidate.found_by if candidate else None),
            lambda: self.license.lower() in ("", (candidate.license if candidate else "") or UNKNOWN),
            lambda: self.version in ("", file.version or UNKNOWN),
            lambda: self.kind in ("", (candidate.kind if candidate else "") or UNKNOWN),
            lambda: self.reason.lower() in file.decision.reason.lower(),
            lambda: self.least_score is None or (file.score is not None and file.score >= self.least_score),
            lambda: self.most_score is None or (file.score is not None and file.score <= self.most_score),
        )
        return all(fits() for fits in is_meant)
