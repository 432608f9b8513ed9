"""Checks the clock of this machine: compares it with the clocks of sources, and asks whether NTP synchronizes it.

The clock of a source may be wrong itself, and an answer may come from a cache. So a source counts as agreeing if one of
its two times (responseDate, HTTP Date) agrees. The clock of this machine counts as wrong only if most of the sources of
the last week agree on that. If there is only one source, it must differ by more than an hour.
"""

import ctypes
import os
from collections.abc import Iterable
from statistics import median
from time import time
from typing import NamedTuple

from gateway.core.clock import Moment
from gateway.core.model import SourceClock
from gateway.store.base import Store

_LATELY_SECONDS = 604_800  # an older comparison says little about the clock as it is now
_ALONE_SECONDS = 3600  # by which the only source must differ, in both of its times
_MANY = 2
_AHEAD_SECONDS = 300  # after a reboot with a clock that went back, or a restore, it may be a minute or two
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60


class Judgement(NamedTuple):
    """The result of the comparison: this machine's clock is `ahead` seconds ahead (below 0: behind).

    `agreeing` of the `asked` sources agree on that; 0: the clock counts as right.
    """

    ahead: float = 0.0
    agreeing: int = 0
    asked: int = 0

    @property
    def is_wrong(self) -> bool:
        """Return whether the clock counts as wrong."""
        return self.agreeing > 0

    @property
    def sentence(self) -> str:
        """The message about a wrong clock, and what to do; empty if the clock counts as right."""
        if not self.is_wrong:
            return ""
        where = "ahead of" if self.ahead > 0 else "behind"
        agreement = f"{self.agreeing} of {self.asked} sources" if self.asked > 1 else "the only source"
        return (
            f"The clock of this machine is {in_words(abs(self.ahead))} {where} that of {agreement} asked lately. "
            "Set it, best by NTP: a record that is published with a future datestamp keeps it."
        )


def in_words(seconds: float) -> str:
    """Return a duration of so many seconds as text, in days, hours, minutes or seconds."""
    for unit, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "minutes")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.0f} seconds"


def ahead_of(source_clock: SourceClock, now: Moment) -> float | None:
    """Return by how many seconds this machine's clock is ahead of a source's; None if the comparison is too old.

    The monotonic clock measures the time since the comparison, so the result also holds for a clock that was set since.
    """
    if source_clock.boot != now.boot or now.monotonic < source_clock.monotonic:
        return None
    passed = now.monotonic - source_clock.monotonic + max(0.0, now.suspended - source_clock.suspended)
    return None if passed > _LATELY_SECONDS else now.wall - (source_clock.second + passed)


def judged(
    clocks: Iterable[SourceClock], now: Moment, tolerance: float, *, is_kept_by_ntp: bool | None = False
) -> Judgement:
    """Return the comparison of this machine's clock with those of sources; `tolerance` in seconds, 0: no comparison.

    A clock that NTP synchronizes does not count as wrong because of a single source.
    """
    by_host = {
        host_clock.host: (seconds_ahead, host_clock.is_sure)
        for host_clock in clocks
        if (seconds_ahead := ahead_of(host_clock, now)) is not None
    }
    if not by_host or not tolerance:
        return Judgement()
    if len(by_host) < _MANY:
        ((ahead, is_sure),) = by_host.values()
        is_sure = is_sure and not is_kept_by_ntp
        return Judgement(ahead, 1, 1) if is_sure and abs(ahead) > max(_ALONE_SECONDS, tolerance) else Judgement()
    middle = median(ahead for ahead, _ in by_host.values())
    agreeing = [ahead for ahead, _ in by_host.values() if abs(ahead) > tolerance and abs(ahead - middle) <= tolerance]
    if len(agreeing) < _MANY or 2 * len(agreeing) <= len(by_host):
        return Judgement()
    return Judgement(median(agreeing), len(agreeing), len(by_host))


def ahead_of_machine(store: Store, wall: float | None = None) -> str:
    """Return a message if the store's clock is more than five minutes ahead of this machine's, else an empty string.

    `wall` is this machine's time in seconds since 1970; the default is now.
    """
    with store.view() as view:
        ahead = view.horizon - (time() if wall is None else wall)
    if ahead <= _AHEAD_SECONDS:
        return ""
    return (
        f"The store's clock is {in_words(ahead)} ahead of the clock of this machine. If this machine is right, "
        "harvesters that ask `until` now do not get the newest records; gateway/CLOCKS.md says what to do."
    )


# --- NTP ----------------------------------------------------------------------------------------------------------

_UNSYNCHRONIZED = 0x0040  # STA_UNSYNC of adjtimex(2)


class _Timex(ctypes.Structure):
    """The beginning of `struct timex` of Linux, and more room than its end takes."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 64),
    )


def is_synchronized() -> bool | None:
    """Return whether NTP synchronizes the clock, as the kernel says (adjtimex(2)); None if that is not known."""
    if os.uname().sysname != "Linux":
        return None
    timex = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else not timex.status & _UNSYNCHRONIZED
