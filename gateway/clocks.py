"""Whether the clock of this machine is right: what sources say that it is o'clock, and whether NTP keeps it.

A source's clock may be wrong itself, and an answer may come from a cache. So a source is believed where it agrees with
this machine in any way that it tells the time; and this machine is doubted only when most of the sources that were
asked lately say the same, or the only one does, by much.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from statistics import median
from time import time
from typing import NamedTuple

from gateway.model import SourceClock
from gateway.store.base import Store
from gateway.store.clock import Moment

_LATELY_SECONDS = 604_800  # what was heard earlier says little about the clock as it is now
_ALONE_SECONDS = 3600  # by which one source alone must differ, with a clock that it tells in two ways
_MANY = 2
_AHEAD_SECONDS = 300  # after a reboot with a clock that went back, or a restore, it may be a minute or two
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60


class Judgement(NamedTuple):
    """By how many seconds this machine's clock is ahead (below 0: behind) as so many of so many sources say."""

    ahead: float = 0.0
    agreeing: int = 0
    asked: int = 0

    @property
    def is_wrong(self) -> bool:
        """Tell whether the clock is taken for wrong."""
        return self.agreeing > 0

    @property
    def sentence(self) -> str:
        """Say it, and what to do."""
        if not self.is_wrong:
            return ""
        where = "ahead of" if self.ahead > 0 else "behind"
        said = f"{self.agreeing} of {self.asked} sources" if self.asked > 1 else "the only source"
        return (
            f"The clock of this machine is {in_words(abs(self.ahead))} {where} that of {said} asked lately. "
            "Set it, best by NTP: records that are published with a date of the future keep it."
        )


def in_words(seconds: float) -> str:
    """Return a duration in the unit that suits it."""
    for unit, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "minutes")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.0f} seconds"


def ahead_of(told: SourceClock, now: Moment) -> float | None:
    """Return by how many seconds this machine's clock is ahead of a source's; None: what it said holds no more.

    The monotonic clock measures the time since then, so a clock that was set meanwhile is judged as it is now.
    """
    if told.boot != now.boot or now.monotonic < told.monotonic:
        return None
    passed = now.monotonic - told.monotonic + max(0.0, now.suspended - told.suspended)
    return None if passed > _LATELY_SECONDS else now.wall - (told.second + passed)


def judged(
    clocks: Iterable[SourceClock], now: Moment, tolerance: float, *, is_kept_by_ntp: bool | None = False
) -> Judgement:
    """Judge this machine's clock by those of the sources; `tolerance` is how far they may differ, 0: however far.

    A clock that NTP keeps is not doubted because of one source alone.
    """
    by_host = {each.host: (found, each.is_sure) for each in clocks if (found := ahead_of(each, now)) is not None}
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
    """Return in a sentence that the store's clock is ahead of this machine's; nothing when it is not, or a little."""
    with store.view() as view:
        ahead = view.horizon - (time() if wall is None else wall)
    if ahead <= _AHEAD_SECONDS:
        return ""
    return (
        f"The store's clock is {in_words(ahead)} ahead of the clock of this machine. If this one is right, records "
        "were published with dates of the future: a harvester that asks until today does not see them. "
        'gateway/README.md, "When a clock was wrong", has the way back.'
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
    """Tell whether the kernel says that NTP keeps the clock; None where it does not tell. It takes no privilege."""
    if os.uname().sysname != "Linux":
        return None
    timex = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else not timex.status & _UNSYNCHRONIZED
