"""An object that is rechecked: its due files, their outcomes, and the files that could not be requested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.http_validators import ContradictoryAnswer
from harvester.mirror.judge_file import Collected
from harvester.mirror.object_versions import PendingVersion
from harvester.mirror.recheck_schedule import Check
from harvester.mirror.repeated_answers import SHORT

_MOST_NAMES = 5


@dataclass(slots=True)
class UncheckedFiles:
    """Files or records that could not be requested: their number, the first names, and the first reason."""

    count: int = 0
    names: list[str] = field(default_factory=list)
    reason: str = ""

    def add(self, name: str, reason: str = "") -> None:
        """Count one more."""
        self.count += 1
        self.reason = self.reason or reason
        if len(self.names) < _MOST_NAMES:
            self.names.append(name)

    def sentences(self, what: str) -> Iterator[str]:
        """Return a sentence with the number and the reason, if there are any."""
        if self.count:
            more = ", …" if self.count > len(self.names) else ""
            yield f"{what} that could not be requested: {self.count} ({', '.join(self.names)}{more}). {self.reason}"


@dataclass(slots=True)
class ObjectRecheck:
    """The recheck of one object: its last checks, its due files, and their answers."""

    pending: PendingVersion
    checks: dict[str, Check]
    due: tuple[PlannedFile, ...]
    answered: set[str] = field(default_factory=set)  # paths for which the server has answered
    refused: dict[str, ContradictoryAnswer] = field(
        default_factory=dict
    )  # received bytes that contradict the document, by path
    wanted: dict[str, PlannedFile] = field(init=False)  # the due files, by path
    known: dict[str, Check] = field(init=False)  # the checks before this run
    has_come: bool = False  # bytes were received
    is_done: bool = True  # all due files were requested and settled

    def __post_init__(self) -> None:
        self.wanted = {planned.path: planned for planned in self.due}
        self.known = dict(self.checks)

    @property
    def identifier(self) -> str:
        """The identifier of the object."""
        return self.pending.now.identifier

    @property
    def is_clear(self) -> bool:
        """Return whether all due files were answered and are good, and no later answer can make them doubtful."""
        results = self.pending.results.values()
        is_good = all(result.file.is_good and not is_short(result) for result in results)
        return self.has_come and is_good and len(self.answered) == len(self.due)

    def undo(self) -> None:
        """Forget results that could not be settled: the files stay due."""
        for path in self.pending.results:
            self.checks.pop(path, None)
            if path in self.known:
                self.checks[path] = self.known[path]
        self.answered -= self.pending.results.keys()
        self.pending.results.clear()
        self.is_done = False


def is_short(collected: Collected) -> bool:
    """Return whether received bytes must be compared with the answers of other addresses."""
    return collected.incoming is not None and (collected.file.size or 0) <= SHORT


def is_checkable(planned: PlannedFile) -> bool:
    """Return whether a file is stored and has an HTTP address. Other runs request missing files."""
    return planned.component.content is None and bool(
        planned.before and planned.before.path and planned.component.addresses
    )


def differs(collected: Collected) -> bool:
    """Return whether a file, or its outcome, differs from the stored state."""
    before, now = collected.planned.before, collected.file
    if before is None or now.sha512 != before.sha512:
        return True
    return (now.is_good, now.is_stale) != (before.is_good, before.is_stale) or (
        not now.is_good and (now.fate, now.rule) != (before.fate, before.rule)
    )
