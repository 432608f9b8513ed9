"""How much memory processes have of their own: resident pages that belong to no file, sampled while they work."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

MIB = 1024 * 1024
_EVERY_SECONDS = 0.2


class Samples(NamedTuple):
    """The most that each process had, by its number, in bytes."""

    by_process: dict[int, int]

    @property
    def largest(self) -> float:
        """The most that any one process had, in MiB."""
        return max(self.by_process.values(), default=0) / MIB


def anonymous(process: int) -> int:
    """Return the resident bytes of a process that belong to no file; none when it is gone."""
    with suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text()
        return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon:"))
    return 0


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
    samples, ended = Samples({}), threading.Event()

    def sample() -> None:
        is_over = False
        while not is_over:
            for member in family(process):
                samples.by_process[member] = max(anonymous(member), samples.by_process.get(member, 0))
            is_over = ended.wait(_EVERY_SECONDS)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()
