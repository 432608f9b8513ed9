"""The windows of one list, walked side by side: what each brings is committed, and what became of it is kept.

A window that will not come is divided, down to a day; what is left then has failed, and the others go on. What the
parts bring again is not new to the run. A window that is refused, or that breaks off in any way it is asked for, has
failed at once: the next run asks for it behind the others.
Where the source takes no dates, the windows are given up. After several of them in a row, or more that had to be
divided, no more are asked for; the list behind the windows tells whether the source is down. What ends the whole run (a
disk that is full, a signal) ends no step that is on its way: it is taken, and then the walk is over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gateway.errors import AnswerError, AnswerTooLarge, AnswerTooSlow, DatesRefused, GatewayError
from gateway.model import Cursor, RunOutcome, WindowOutcome
from gateway.store.base import Inbox
from harvester.outcomes import OF_ONE_QUESTION, outcome_of
from harvester.sources import Options, SourceKind, Step
from harvester.story import Story
from harvester.windows.abreast import Abreast, Fetcher, Taken
from harvester.windows.days import OPEN, dates_of, is_ignored
from harvester.windows.kept import closed, divide, label_of, windows_of
from harvester.wire.http import Fetch
from harvester.wire.seen import Seen

# What may be otherwise with half of a window.
_OF_ITS_SIZE = (AnswerError, AnswerTooLarge, AnswerTooSlow)
_MOST_ILL = 3  # windows in a row that break off: then the source is ill, rather than they
_MOST_BARREN = 12  # that are divided or broken off before a record comes; from a year to its first day it is ten


@dataclass(slots=True)
class Sliced:
    """The walk through the windows of one list.

    `commit` keeps a step, `is_over` tells whether to go no further, `lost` is told of each window that cannot be had,
    and what that makes of the run.
    """

    inbox: Inbox
    kind: SourceKind
    options: Options
    story: Story
    commit: Callable[[Step], None]
    is_over: Callable[[], bool]
    lost: Callable[[RunOutcome, str], None]
    left: deque[Cursor] = field(default_factory=deque)
    keeps_dates: bool = True
    came: dict[str, Seen] = field(default_factory=dict)  # of each open window, with what it is a part of
    ill: int = 0  # how many windows in a row were refused or broke off
    barren: int = 0  # how many did not come since the last new record did
    doom: BaseException | None = None

    def walk(self, windows: Sequence[Cursor], lanes: int, fetch: Fetch, fetcher: Fetcher | None) -> None:
        """Walk the windows that are left, as many at once as there are lanes. Raise what ended the walk before that."""
        is_open = (each for each in windows if each.outcome in OPEN)
        self.left = deque(sorted(is_open, key=lambda each: each.outcome is WindowOutcome.FAILED))
        with Abreast[Cursor, Step](lanes, fetch, fetcher) as abreast:
            while True:
                while self.left and abreast.has_room and not self._is_ending():
                    abreast.begin(window := self.left.popleft(), self._walk_of(window))
                if abreast.is_idle:
                    break
                abreast.take(self._is_last)
        if self.doom is not None:
            raise self.doom
        name = label_of(replace(windows[0], window=""))
        if self._is_ill() and self.left:
            told = f"{name}: the source is ill; windows that wait for the next run: {len(self.left)}."
            self.lost(RunOutcome.SUCCEEDED_WITH_ERRORS, told)
        if not self.keeps_dates:
            self.inbox.forget_windows(windows[0])
            self.story.note(f"{name}: the source does not keep to dates; the list goes as a whole.")

    def _is_ending(self) -> bool:
        return self._is_ill() or self.doom is not None or not self.keeps_dates or self.is_over()

    def _is_ill(self) -> bool:
        return self.ill >= _MOST_ILL or self.barren >= _MOST_BARREN

    def _walk_of(self, window: Cursor) -> Callable[[Fetch], Iterator[Step]]:
        came = self.came.setdefault(window.window, Seen())
        options = replace(self.options, window=dates_of(window.window), is_part=True, came=came)
        return lambda fetch: self.kind.changes(options, window, fetch)

    def _is_last(self, taken: Taken[Cursor, Step]) -> bool:
        """Take what a window has brought; tell whether nothing more is wanted of it."""
        self.barren += taken.error is not None
        if isinstance(taken.error, DatesRefused) and self._takes_none(taken.what):
            self.keeps_dates = False
            self.story.note(f"{label_of(taken.what)}: {taken.error}")
        elif isinstance(taken.error, _OF_ITS_SIZE):
            parts = divide(self.inbox, taken.what)
            self._remember(taken.what, parts)
            self.left.extendleft(reversed(parts))
            self._not_had(taken.what, str(taken.error), parts)
        elif isinstance(taken.error, OF_ONE_QUESTION):
            self._leave(taken.what, taken.error)
        elif taken.error is not None:
            self.doom = self.doom or taken.error
        elif taken.item is not None:
            self._take(taken.what, taken.item)
        return taken.item is None or taken.item.is_last or self._is_ending()

    def _takes_none(self, window: Cursor) -> bool:
        """Tell whether a source that refused the dates of a window has taken none so far.

        Nor is an open window of any use to one that refuses it: what is dated before the others comes without dates
        alone (dataverse#9309).
        """
        done = (each for each in windows_of(self.inbox, window) if each.outcome is WindowOutcome.DONE)
        return not dates_of(window.window)[0] or next(done, None) is None

    def _remember(self, window: Cursor, parts: Sequence[Cursor]) -> None:
        """Let the parts of a window know what it has brought."""
        came = self.came.pop(window.window)
        self.came.update((each.window, came) for each in parts)

    def _leave(self, window: Cursor, error: GatewayError) -> None:
        """Leave a window where it stands to the next run."""
        self.ill += 1
        del self.came[window.window]
        here = (each for each in windows_of(self.inbox, window) if each.window == window.window)
        self.inbox.put_windows([replace(each, outcome=WindowOutcome.FAILED) for each in here])
        self._not_had(window, str(error), (), outcome_of(error))

    def _take(self, window: Cursor, step: Step) -> None:
        """Commit a step of a window, and note how the window ended if it was the last."""
        self.ill = 0
        new = sum(self.came[window.window].add(each.identifier) for each in step.slices)
        self.barren = 0 if new else self.barren
        self.keeps_dates = self.keeps_dates and not is_ignored(
            window.window, [each.datestamp for each in step.slices if each.datestamp]
        )
        if not step.is_last:
            self.commit(step)
            return
        del self.came[window.window]
        step = closed(self.kind, step)
        self.commit(step)
        # What one window has taught need not be learned by the next.
        self.options = replace(self.options, known=self.kind.learned((_known(self.options, window), step.cursor)))
        if step.is_complete:
            self.story.counts["windows_done"] += 1
            self.story.note(f"{label_of(window)}: {step.received} records.", aloud=False)
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
            self.story.counts["windows_split"] += 1
            self.story.note(f"{label_of(window)}: {reason} It is divided.")
        else:
            self.story.counts["windows_failed"] += 1
            self.lost(outcome, f"{label_of(window)}: {reason}")


def _known(options: Options, window: Cursor) -> Cursor:
    return replace(window, state=options.known)
