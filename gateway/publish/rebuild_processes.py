"""The parent's end of child processes that make records again, a part of the items at a time.

A line on the standard input of a child process names a part. It is two numbers: that of the item before it, and its
last one. A line on standard output has the result, or the error that ended the child. All are JSON.
The child process (`upkeep.rebuild_parts`) exits after its present part when its input ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from select import select
from typing import IO, Final, NamedTuple, TypeAlias

from gateway.core.errors import StoreError

LOCK: Final = "rebuild"  # in `locks/`: one process at a time writes, while others map
_MOST: Final = 4  # processes: one at a time writes, so more do not help
# Not `-m`: then the module would be there twice.
_COMMAND: Final = "import sys; from gateway.ops.upkeep import rebuild_parts; sys.exit(rebuild_parts(*sys.argv[1:]))"

Part: TypeAlias = tuple[int, int]  # the number of the item before it, and its last number


class Rebuilt(NamedTuple):
    """The result for a part: how many items it has, and how many records got a new datestamp."""

    items: int = 0
    stamped: int = 0


def processors() -> int:
    """Return how many child processes are worth while here; 1: none, since the parent can do it."""
    return min(len(os.sched_getaffinity(0)), _MOST)


class RebuildProcesses:
    """Running child processes, as their parent sees them."""

    def __init__(self, folder: Path, number: int, prefix: str | None) -> None:
        """Start so many child processes for an instance folder and a format, or all of ours.

        Raise StoreError if one cannot be started.
        """
        self._running: list[subprocess.Popen[bytes]] = []
        try:
            self._running += (_started(folder, prefix) for _ in range(number))
        except OSError as error:
            self.close()
            raise StoreError(f"A process that makes records again cannot be started: {error.strerror}.") from error

    def run(self, parts: Iterable[Part]) -> Iterator[Rebuilt]:
        """Let the child processes make these parts again; yield the results as they come.

        Raise StoreError if a child process has ended.
        """
        waiting = iter(parts)
        busy = {_output(process): process for process in self._running if _order(process, waiting)}
        while busy:
            for descriptor in select(list(busy), [], [])[0]:
                process = busy.pop(descriptor)
                yield _answer(process)
                if _order(process, waiting):
                    busy[descriptor] = process

    def close(self) -> None:
        """Let the child processes exit after what they are writing."""
        for process in self._running:
            with suppress(OSError):
                _input(process).close()
        for process in self._running:
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def _started(folder: Path, prefix: str | None) -> subprocess.Popen[bytes]:
    # A session of its own: only the parent process gets Ctrl-C.
    return subprocess.Popen(  # noqa: S603 - our own
        [sys.executable, "-c", _COMMAND, str(folder), *filter(None, [prefix])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def _output(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    return process.stdout.fileno()


def _order(process: subprocess.Popen[bytes], waiting: Iterator[Part]) -> bool:
    """Give the next part to a child process; return whether there was one."""
    part = next(waiting, None)
    if part is None:
        return False
    with suppress(OSError):  # it has died, as its output will say
        _input(process).write(b"%s\n" % json.dumps(part).encode())
        _input(process).flush()
    return True


def _answer(process: subprocess.Popen[bytes]) -> Rebuilt:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise StoreError(
            "A process that makes records again has ended before its work. Repeat the command; it continues."
        )
    result = json.loads(line)
    if "error" in result:
        raise StoreError(result["error"])
    return Rebuilt(**result)
