"""An object that is rechecked: what is due of it, what has come, and what could not be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harvester.mirror.answers import SHORT
from harvester.mirror.collected import Collected
from harvester.mirror.keeping import Keeping
from harvester.mirror.planning import Want
from harvester.mirror.rechecks import Check
from harvester.mirror.sent import Refused

_MOST_NAMES = 5


@dataclass(slots=True)
class Unasked:
    """What could not be asked for: how many, the first of them, and why not."""

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
        """Say how many there are and why, when there are any."""
        if self.count:
            more = ", …" if self.count > len(self.names) else ""
            yield f"{what} that could not be asked for: {self.count} ({', '.join(self.names)}{more}). {self.reason}"


@dataclass(slots=True)
class Rechecked:
    """The object: its last checks, which files are due now, and what was learned of them."""

    keeping: Keeping
    checks: dict[str, Check]
    due: tuple[Want, ...]
    answered: set[str] = field(default_factory=set)  # paths for which the server has answered
    refused: dict[str, Refused] = field(default_factory=dict)  # bytes that came and contradict the document
    wanted: dict[str, Want] = field(init=False)  # what is due, by path
    known: dict[str, Check] = field(init=False)  # the checks as they were
    has_come: bool = False  # bytes of it came
    is_done: bool = True  # whatever was due was asked for, and is settled

    def __post_init__(self) -> None:
        self.wanted = {each.path: each for each in self.due}
        self.known = dict(self.checks)

    @property
    def identifier(self) -> str:
        """The identifier of the object."""
        return self.keeping.now.identifier

    @property
    def is_clear(self) -> bool:
        """Tell whether everything has come, some of it as bytes, and nothing that others could throw doubt on."""
        results = self.keeping.results.values()
        is_good = all(each.file.is_good and not is_short(each) for each in results)
        return self.has_come and is_good and len(self.answered) == len(self.due)

    def undo(self) -> None:
        """Forget what came and could not be settled: it is due as it was before."""
        for path in self.keeping.results:
            self.checks.pop(path, None)
            if path in self.known:
                self.checks[path] = self.known[path]
        self.answered -= self.keeping.results.keys()
        self.keeping.results.clear()
        self.is_done = False


def is_short(collected: Collected) -> bool:
    """Tell whether what came is to be compared with what comes from other addresses."""
    return collected.incoming is not None and (collected.file.size or 0) <= SHORT


def is_checkable(want: Want) -> bool:
    """Tell whether something is held of a file that can be asked for; what is missing is tried by other runs."""
    return want.component.content is None and bool(want.before and want.before.path and want.component.addresses)


def differs(collected: Collected) -> bool:
    """Tell whether a file is another one, or in another state, than is known of it."""
    before, now = collected.want.before, collected.file
    if before is None or now.sha512 != before.sha512:
        return True
    return (now.is_good, now.is_stale) != (before.is_good, before.is_stale) or (
        not now.is_good and (now.fate, now.rule) != (before.fate, before.rule)
    )
