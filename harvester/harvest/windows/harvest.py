"""Harvest the windows of one list in parallel: commit their pages, and store their outcomes.

A window that cannot be harvested is divided, down to a day; a day that cannot be harvested has failed, and the others
continue. Records that a part repeats do not count again. A window that is refused has failed at once: the next run
requests it after the others. When the source ignores dates, the windows are given up. After several failed windows in a
row, or many divided ones, no more are requested. Then the list after the windows shows whether the source is down. At
the end of the run (a full disk, a signal), each step in progress is committed first.

A fetcher serves one thread at a time. So each window has a lane with its own fetcher; at its end the lane is free for
another window. Workers only fetch; the caller commits the steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from gateway.core.errors import AnswerError, AnswerTooLarge, AnswerTooSlow, DatesRefused, GatewayError
from gateway.core.model import Cursor, RunOutcome, WindowOutcome
from gateway.store.base import Inbox
from harvester.harvest.run_lifecycle import RunLog
from harvester.harvest.session import Fetcher
from harvester.harvest.windows import OPEN, closed, dates_of, divide, is_ignored, label_of, windows_of
from harvester.http.messages import Fetch
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, outcome_of
from harvester.runtime.interrupts import Stop
from harvester.runtime.worker_pool import Job, WorkerPool
from harvester.sources import Options, SourceKind, Step
from harvester.sources.seen import Seen

# Errors that may not occur with half of a window.
_OF_ITS_SIZE = (AnswerError, AnswerTooLarge, AnswerTooSlow)
_MOST_FAILING = 3  # windows in a row that break off: then the source is failing, rather than they
_MOST_FAILED_SINCE_NEW = (
    12  # that are divided or broken off before a record comes; from a year to its first day it is ten
)


class Taken(NamedTuple):
    """A result of a window: a step, None at its end, or the error that ended it."""

    window: Cursor
    item: Step | None = None
    error: BaseException | None = None


class _Lane(NamedTuple):
    window: Cursor
    pull: Callable[[Fetch], Step | None]


class ParallelWindows:
    """Several windows at once, one per lane. Use it in a `with` block."""

    def __init__(self, lanes: int, fetch: Fetch, fetcher: Fetcher | None) -> None:
        lanes = lanes if fetcher else 1
        self._pool = WorkerPool[Fetch, Step | None | _Error](lanes, Stop(), self._opened, failed=_Error)
        self._given: list[Fetch] = [fetch]
        self._fetcher = fetcher
        self._free = [str(number) for number in range(lanes)]
        self._lanes: dict[str, _Lane] = {}

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._pool.__exit__(kind)

    @property
    def has_room(self) -> bool:
        """Return whether another window can begin."""
        return bool(self._free)

    @property
    def is_idle(self) -> bool:
        """Return whether no window is in progress."""
        return not self._lanes

    def begin(self, window: Cursor, walk: Callable[[Fetch], Iterator[Step]]) -> None:
        """Begin a window; a lane must be free."""
        steps: list[Iterator[Step]] = []

        def pull(fetch: Fetch) -> Step | None:
            if not steps:
                steps.append(walk(fetch))
            return next(steps[0], None)

        self._pull(self._free.pop(), _Lane(window, pull))

    def take(self, is_over: Callable[[Taken], bool]) -> None:
        """Wait for the next result of any window; `is_over` gets it, and returns whether to leave the window."""
        for number, result in self._pool.turn():
            lane = self._lanes.pop(number)
            error = result.error if isinstance(result, _Error) else None
            taken = Taken(lane.window, None if isinstance(result, _Error) else result, error)
            if is_over(taken) or taken.item is None:
                self._free.append(number)
            else:
                self._pull(number, lane)

    def _opened(self) -> AbstractContextManager[Fetch]:
        """Return the fetcher of a lane; the first lane gets the given one."""
        if self._given or self._fetcher is None:
            return nullcontext(self._given.pop())
        return self._fetcher()

    def _pull(self, number: str, lane: _Lane) -> None:
        self._lanes[number] = lane
        self._pool.add(Job(number, number, lane.pull))


class _Error(NamedTuple):
    lane: str
    error: BaseException


@dataclass(slots=True)
class WindowedHarvest:
    """The harvest of the windows of one list.

    `commit` stores a step, `is_over` returns whether to stop, `lost` is called with the outcome and the reason for each
    failed window.
    """

    inbox: Inbox
    kind: SourceKind
    options: Options
    log: RunLog
    commit: Callable[[Step], None]
    is_over: Callable[[], bool]
    lost: Callable[[RunOutcome, str], None]
    left: deque[Cursor] = field(default_factory=deque)
    keeps_dates: bool = True
    came: dict[str, Seen] = field(default_factory=dict)  # of each open window, with what it is a part of
    failures_in_a_row: int = 0  # windows that were refused or broke off
    failed_since_new: int = 0  # windows that failed since the last new record
    fatal_error: BaseException | None = None

    def walk(self, windows: Sequence[Cursor], lanes: int, fetch: Fetch, fetcher: Fetcher | None) -> None:
        """Harvest the open windows, one per connection at once. Raise the error that ended it early."""
        is_open = (window for window in windows if window.outcome in OPEN)
        self.left = deque(sorted(is_open, key=lambda window_: window_.outcome is WindowOutcome.FAILED))
        with ParallelWindows(lanes, fetch, fetcher) as parallel:
            while True:
                while self.left and parallel.has_room and not self._is_ending():
                    parallel.begin(window := self.left.popleft(), self._walk_of(window))
                if parallel.is_idle:
                    break
                parallel.take(self._is_last)
        if self.fatal_error is not None:
            raise self.fatal_error
        name = label_of(replace(windows[0], window=""))
        if self._is_failing() and self.left:
            sentence = f"{name}: the source is failing; windows that wait for the next run: {len(self.left)}."
            self.lost(RunOutcome.SUCCEEDED_WITH_ERRORS, sentence)
        if not self.keeps_dates:
            self.inbox.forget_windows(windows[0])
            self.log.note(f"{name}: the source does not keep to dates; the list goes as a whole.")

    def _is_ending(self) -> bool:
        return self._is_failing() or self.fatal_error is not None or not self.keeps_dates or self.is_over()

    def _is_failing(self) -> bool:
        return self.failures_in_a_row >= _MOST_FAILING or self.failed_since_new >= _MOST_FAILED_SINCE_NEW

    def _walk_of(self, window: Cursor) -> Callable[[Fetch], Iterator[Step]]:
        came = self.came.setdefault(window.window, Seen())
        options = replace(self.options, window=dates_of(window.window), is_part=True, came=came)
        return lambda fetch: self.kind.changes(options, window, fetch)

    def _is_last(self, taken: Taken) -> bool:
        """Take a result of a window; return whether the window is finished."""
        self.failed_since_new += taken.error is not None
        if isinstance(taken.error, DatesRefused) and self._takes_none(taken.window):
            self.keeps_dates = False
            self.log.note(f"{label_of(taken.window)}: {taken.error}")
        elif isinstance(taken.error, _OF_ITS_SIZE):
            parts = divide(self.inbox, taken.window)
            came = self.came.pop(taken.window.window)
            self.came.update((part.window, came) for part in parts)
            self.left.extendleft(reversed(parts))
            self._not_had(taken.window, str(taken.error), parts)
        elif isinstance(taken.error, ERRORS_OF_ONE_REQUEST):
            self._leave(taken.window, taken.error)
        elif taken.error is not None:
            self.fatal_error = self.fatal_error or taken.error
        elif taken.item is not None:
            self._take(taken.window, taken.item)
        return taken.item is None or taken.item.is_last or self._is_ending()

    def _takes_none(self, window: Cursor) -> bool:
        """Return whether a source that refused the dates of a window has accepted none so far.

        A refused open window is of no use either: its records come only without dates (dataverse#9309).
        """
        done = (window for window in windows_of(self.inbox, window) if window.outcome is WindowOutcome.DONE)
        return not dates_of(window.window)[0] or next(done, None) is None

    def _leave(self, window: Cursor, error: GatewayError) -> None:
        """Leave a window at its present cursor to the next run."""
        self.failures_in_a_row += 1
        del self.came[window.window]
        here = (window_ for window_ in windows_of(self.inbox, window) if window_.window == window.window)
        self.inbox.put_windows([replace(window_, outcome=WindowOutcome.FAILED) for window_ in here])
        self._not_had(window, str(error), (), outcome_of(error))

    def _take(self, window: Cursor, step: Step) -> None:
        """Commit a step of a window; note the outcome of the window with its last step."""
        self.failures_in_a_row = 0
        new = sum(self.came[window.window].add(record.identifier) for record in step.slices)
        self.failed_since_new = 0 if new else self.failed_since_new
        # A record that was asked for by its identifier may have changed since it was listed: its date proves nothing.
        listed = step.slices if step.page.verb != "GetRecord" else ()
        stamps = [record.datestamp for record in listed if record.datestamp]
        self.keeps_dates = self.keeps_dates and not is_ignored(window.window, stamps)
        if not step.is_last:
            self.commit(step)
            return
        del self.came[window.window]
        step = closed(self.kind, step)
        self.commit(step)
        # The next window uses the knowledge from this one.
        known = self.kind.learned((replace(window, state=self.options.known), step.cursor))
        self.options = replace(self.options, known=known)
        if step.is_complete:
            self.log.counts["windows_done"] += 1
            self.log.note(f"{label_of(window)}: {step.received} records.", aloud=False)
        else:
            self._not_had(window, step.doubts[0] if step.doubts else f"it ended with {step.end}.", ())

    def _not_had(
        self,
        window: Cursor,
        reason: str,
        parts: Sequence[Cursor],
        outcome: RunOutcome = RunOutcome.SUCCEEDED_WITH_ERRORS,
    ) -> None:
        if parts:
            self.log.counts["windows_split"] += 1
            self.log.note(f"{label_of(window)}: {reason} It is divided.")
        else:
            self.log.counts["windows_failed"] += 1
            self.lost(outcome, f"{label_of(window)}: {reason}")
