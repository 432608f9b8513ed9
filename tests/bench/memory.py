"""How much memory processes have of their own: resident pages that belong to no file, sampled while they work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

MIB = 1024 * 1024
_EVERY_SECONDS = 0.2


@dataclass
class Samples:
    """The samples of each process by its number, in bytes, in their order."""

    by_process: dict[int, list[int]] = field(default_factory=dict)

    @property
    def largest(self) -> float:
        """The most that any one process had, in MiB."""
        return max((max(samples) for samples in self.by_process.values()), default=0) / MIB

    @property
    def growth(self) -> float:
        """The largest ratio of a process's last quarter to its second one: 1 is flat."""
        longest = max(map(len, self.by_process.values()), default=0)
        whole = [samples for samples in self.by_process.values() if len(samples) >= max(8, longest / 2)]
        return max((_growth(samples) for samples in whole), default=1.0)


def _growth(samples: list[int]) -> float:
    quarter = len(samples) // 4
    return fmean(samples[-quarter:]) / fmean(samples[quarter : 2 * quarter])


def anonymous(process: int) -> int | None:
    """Return the resident bytes of a process that belong to no file; None when it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    sizes = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon:")]
    return int(sizes[0]) * 1024 if sizes else None


def family(process: int) -> list[int]:
    """Return a process and all its descendants."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(descendant for child in children for descendant in family(int(child)))]


@contextmanager
def sampled(process: int) -> Iterator[Samples]:
    """Sample a process and its descendants as long as the context lasts."""
    samples, ended = Samples(), threading.Event()

    def sample() -> None:
        is_over = False
        while not is_over:
            for member in family(process):
                held = anonymous(member)
                if held is not None:
                    samples.by_process.setdefault(member, []).append(held)
            is_over = ended.wait(_EVERY_SECONDS)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()
