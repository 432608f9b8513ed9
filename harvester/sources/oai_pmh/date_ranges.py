"""Parts of a list by date, and how to halve them. Pure.

A window is kept in seconds, whatever the source counts in; `harvester.http.dates.bound` writes it as it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.model import Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, EARLIEST, LATEST, SECONDS, bound, moment_of

_DAY_SECONDS = 86_400
NEVER = 1 << 60


class Window(NamedTuple):
    """From when to when, both inclusive, as UTCdatetimes; an empty one is no bound."""

    from_: str = ""
    until: str = ""

    def __str__(self) -> str:
        return f"{self.from_}/{self.until}"

    @property
    def in_words(self) -> str:
        """The window as words of a sentence."""
        return f"from {self.from_ or 'the beginning'} until {self.until or 'now'}"

    def covers(self, other: Window) -> bool:
        """Return whether all of the other lies in this one."""
        return self.from_ <= other.from_ and (not self.until or "" < other.until <= self.until)


def window_of(from_: str, until: str) -> Window:
    """Return the window between two dates as they were asked for, days or seconds."""
    return Window(bound(from_, SECONDS), bound(until, SECONDS, is_until=True))


def windows_of(text: str) -> tuple[Window, ...]:
    """Read windows as `text_of_windows` writes them. Raise ValueError for anything else."""
    windows = []
    for part in text.split():
        from_, slash, until = part.partition("/")
        if not slash:
            raise ValueError(f"{part!r} is no window")
        windows.append(window_of(from_, until))
    return tuple(windows)


def text_of_windows(*windows: Window) -> str:
    """Return windows as text: `from/until`, with spaces between them."""
    return " ".join(map(str, windows))


def is_outside(window: Window, slices: Iterable[Slice]) -> bool:
    """Return whether any of these records is dated more than a day outside of a window."""
    from_, until = moment_of(window.from_), moment_of(window.until)
    first = -NEVER if from_ is None else from_ - _DAY_SECONDS
    last = NEVER if until is None else until + _DAY_SECONDS
    stamps = (moment_of(record.datestamp) for record in slices)
    return any(stamp is not None and not first <= stamp <= last for stamp in stamps)


def halves(window: Window, granularity: str, earliest: int, latest: int) -> tuple[Window, Window] | None:
    """Return two windows that cover what this one covers, None when it is a single day or second.

    `earliest` and `latest` replace the bounds that it does not have. They may be wrong, so they become a bound only
    when the window is a single day or second.
    """
    unit = _DAY_SECONDS if granularity == DAY else 1
    first = _moment(window.from_, earliest) // unit
    last = _moment(window.until, latest) // unit
    if first < last:
        return _cut(window, ((first + last) // 2 + 1) * unit)
    if first > last or (window.from_ and window.until):
        return None
    return _cut(window, first * unit if window.until or not window.from_ else (first + 1) * unit)


def _cut(window: Window, second: int) -> tuple[Window, Window] | None:
    """Return what lies before a second, and the rest; None where the second lies outside of the years 1 to 9999."""
    if not EARLIEST < second <= LATEST:
        return None
    return Window(window.from_, utc_datetime(second - 1)), Window(utc_datetime(second), window.until)


def _moment(text: str, otherwise: int) -> int:
    moment = moment_of(text)
    return otherwise if moment is None else moment
