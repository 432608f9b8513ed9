"""What a person needs to decide on a file: the record, what is known of the file, and how the file begins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gateway.model import Candidate, Decision, Work
from gateway.settings import place_of_copy
from gateway.store.base import Store
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.search.stories import candidates_of
from harvester.search.works import work_of
from harvester.verification.extraction import extract
from harvester.wire.urls import host_of

_BATCH = 500
_LINES = 20
_LONGEST_LINE = 200  # characters that are shown of one line
_YEAR = 4  # digits
UNKNOWN = "unknown"  # the licence, version or kind of a file of which none is known


class Reviewed(NamedTuple):
    """A file with the decision in force on it. `candidate` is None when the last search did not look at the file."""

    decision: Decision
    source: str = ""
    candidate: Candidate | None = None
    work: Work | None = None  # None when the item is deleted
    published: str = ""  # the year, as far as it is known
    copy: Path | None = None  # None when no copy is kept

    @property
    def host(self) -> str:
        """The host that the file comes from."""
        return host_of(self.candidate.final_url or self.decision.url if self.candidate else self.decision.url)

    @property
    def score(self) -> float | None:
        """The score of the file; None when it is not known."""
        return self.candidate.score if self.candidate else None

    @property
    def version(self) -> str:
        """Which version it is: what was stated for this copy, else what the file itself says."""
        return (self.candidate.version or self.candidate.text_version) if self.candidate else ""

    def statements(self, element: str) -> tuple[str, ...]:
        """Return what the record says in a Dublin Core element."""
        return tuple(each.text for each in self.work.statements if each.element == element) if self.work else ()

    @property
    def year(self) -> str:
        """The year of publication as the services say it, else as the record does; empty when nobody does."""
        dates = (self.published, *(date[:_YEAR] for date in self.statements("date")))
        return next((date for date in dates if len(date) == _YEAR and date.isdecimal()), "")


def review_of(store: Store, desk: SqliteDiscovery, instance: Path, decision: Decision) -> Reviewed:
    """Return what is known of a file that was decided on. `instance` is the instance folder."""
    state = desk.search(decision.identifier)
    if state is None:
        return Reviewed(decision)
    looked_at = (each for each in candidates_of(state) if each.url == decision.url)
    place = place_of_copy(instance, decision.sha256)
    return Reviewed(
        decision,
        state.source,
        next(looked_at, None),
        work_of(store, decision.identifier, state.upstream),
        str(json.loads(state.story).get("published", "")) if state.story else "",
        place if decision.sha256 and place.is_file() else None,
    )


def decisions_in_force(desk: SqliteDiscovery, verdict: str, after: str = "") -> Iterator[Decision]:
    """Return all decisions in force with a verdict, of items behind `after`, in the order of items and addresses."""
    position = (after, "\U0010ffff" if after else "")
    while batch := desk.decided(verdict, position, _BATCH):
        yield from batch
        position = (batch[-1].identifier, batch[-1].url)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which files are meant. What is empty or None does not matter; texts are compared without regard to case.

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
        """Tell whether every file is meant."""
        return self == Filter()

    def fits(self, file: Reviewed) -> bool:
        """Tell whether a file is meant."""
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


def first_lines(copy: Path) -> tuple[str, ...]:
    """Return the first 20 lines of the text of a kept PDF that are not empty; none when it has no text.

    The file is read in the sandboxed child, as in a search. Raise what `extract` raises.
    """
    text = extract(copy.read_bytes()).first
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line[:_LONGEST_LINE] for line in lines if line)[:_LINES]
