"""The progress of a command, for people: bars on a terminal, plain lines in a file or a log.

It is always on stderr; stdout is for data. `rich` is imported only for a terminal.
Several threads may report at once, each with its own tasks. The name of a task begins with the name of its source.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from gateway.core.logs import plain, sentence
from gateway.core.program import is_quiet, silence
from harvester.runtime.interrupts import terminate

if TYPE_CHECKING:
    from rich.progress import TaskID

# Often enough to see progress, and seldom enough for the log of a harvest of several days.
LINE_INTERVAL_SECONDS = 10.0


class Progress:
    """The reports of a long command. This class reports nothing."""

    def show(self, task: str, done: int, total: int | None) -> None:
        """Report that `task` has done `done` of `total` records; None: the total is unknown."""

    def say(self, text: str) -> None:
        """Report one sentence."""

    def fail(self, text: str) -> None:
        """Report one sentence about an error. --quiet does not suppress it."""
        self.say(text)

    def end(self, source: str) -> None:
        """Report that a source has ended. Its bars are removed."""


class Lines(Progress):
    """One line per task every few seconds, and a last one with the final number."""

    def __init__(
        self,
        stream: TextIO,
        clock: Callable[[], float] = monotonic,
        when_lost: Callable[[], None] = lambda: None,
        *,
        is_dated: bool = False,
    ) -> None:
        """Write to `stream`; `clock` returns seconds; `when_lost` is called when the stream fails.

        `is_dated`: each line begins with its time.
        """
        self._stream, self._is_dated = stream, is_dated
        self._clock, self._when_lost = clock, when_lost
        self.lost: OSError | None = None  # the error after which nothing can be written
        self._written_at: dict[str, float] = {}
        self._pending: dict[str, str] = {}
        self._lock = RLock()

    def show(self, task: str, done: int, total: int | None) -> None:
        """Write a line at most every ten seconds for each task; else keep it for later."""
        with self._lock:
            now = self._clock()
            self._pending[task] = f"{task}: {_amount(done, total)}"
            if now - self._written_at.setdefault(task, now) >= LINE_INTERVAL_SECONDS:
                self._written_at[task] = now
                self._write(self._pending.pop(task))

    def say(self, text: str) -> None:
        """Write the sentence."""
        self._write(text)

    def fail(self, text: str) -> None:
        """Write the sentence."""
        self._write(text, "error")

    def end(self, source: str) -> None:
        """Write the last number of each task of the source."""
        with self._lock:
            for task in [task_ for task_ in self._pending if _is_of(task_, source)]:
                self._write(self._pending.pop(task))

    def close(self) -> None:
        """Write the last number of each task."""
        with self._lock:
            for line in self._pending.values():
                self._write(line)
            self._pending.clear()

    def _write(self, text: str, level: str = "info") -> None:
        line = sentence(text, level, is_dated=self._is_dated)
        with self._lock:  # a line is two writes
            if self.lost is not None:
                return
            try:
                print(line, file=self._stream, flush=True)
            except OSError as error:
                self.lost = error
                silence(self._stream)
                self._when_lost()


class Errors(Lines):
    """Errors only: for --quiet."""

    show, say = Progress.show, Progress.say


class Bars(Progress):
    """A bar per task, and sentences above them."""

    lost: OSError | None = None  # stays None: when a terminal closes, SIGHUP ends the process

    def __init__(self, stream: TextIO, *, is_dated: bool = False) -> None:
        """Draw on the terminal `stream`; `is_dated`: each sentence begins with its time."""
        self._is_dated = is_dated
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only a terminal needs it
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - as above
        from rich.progress import Progress as Drawing  # noqa: PLC0415 - as above

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[amount]}"),
            TimeElapsedColumn(),
        )
        self._drawing = Drawing(*columns, console=Console(file=stream))
        self._tasks: dict[str, TaskID] = {}
        self._drawing.start()

    def show(self, task: str, done: int, total: int | None) -> None:
        """Move the bar of this task."""
        amount = _amount(done, total)
        if task not in self._tasks:
            self._tasks[task] = self._drawing.add_task(task, total=total, amount=amount)
        self._drawing.update(self._tasks[task], completed=done, total=total, amount=amount)

    def say(self, text: str) -> None:
        """Print the sentence above the bars."""
        self._print(text, "info")

    def fail(self, text: str) -> None:
        """Print the sentence above the bars."""
        self._print(text, "error")

    def _print(self, text: str, level: str) -> None:
        line = sentence(text, level, is_dated=True) if self._is_dated else plain(text)
        self._drawing.console.print(line, markup=False, highlight=False)

    def end(self, source: str) -> None:
        """Remove the bars of the source."""
        for task in [task for task in self._tasks if _is_of(task, source)]:
            self._drawing.remove_task(self._tasks.pop(task))

    def close(self) -> None:
        """Stop drawing. The bars stay on the terminal."""
        self._drawing.stop()


def _is_of(task: str, source: str) -> bool:
    return task.partition(" ")[0] == source


def _amount(done: int, total: int | None) -> str:
    return f"{done:,} of {total:,} records" if total is not None else f"{done:,} records"


@contextmanager
def progress(stream: TextIO | None = None, *, is_dated: bool = False) -> Iterator[Progress]:
    """Return the reports for a stream (stderr): bars on a terminal, lines elsewhere, only errors with --quiet.

    `is_dated`: each line begins with its time, as where the command runs for ever.
    When the stream cannot be written any more, the command ends as by SIGTERM, and the block with the OSError.
    """
    stream = stream or sys.stderr
    reporter = _suitable(stream, is_dated=is_dated)
    try:
        yield reporter
    finally:
        try:
            reporter.close()
        finally:
            if reporter.lost is not None:
                raise reporter.lost


def _suitable(stream: TextIO, *, is_dated: bool) -> Bars | Lines:
    if is_quiet():
        return Errors(stream, when_lost=terminate, is_dated=is_dated)
    if stream.isatty():
        return Bars(stream, is_dated=is_dated)
    return Lines(stream, when_lost=terminate, is_dated=is_dated)
