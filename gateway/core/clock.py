"""The clock of the store: seconds that never go back, for all processes of one host. Pure; the store has the anchor.

An *anchor* maps a reading of the host's monotonic clock to a second. From there, the clock runs with the monotonic
clock, so a step back of the wall clock has no effect. If the wall clock runs ahead, the anchor follows it. The clock
never returns a second above the *ceiling* of the anchor, which is in the store. After a reboot, the last second that
was returned is unknown, so the clock continues from the ceiling.

A clock that is ahead of the wall clock stops at each ceiling for a while, until real time has caught up. A process that
has read an earlier anchor returns no second above that ceiling, so no second goes back.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

CEILING_SECONDS = 60  # a minute: one small write a minute, and at most a minute ahead of the wall after a reboot
AHEAD_SECONDS = 2  # clocks that are slewed differ by less; a wall clock further ahead was set, or the host slept

STANDING_SECONDS = 60  # a minute at each ceiling: a clock that is ahead goes at half its speed
MOST_SLOWED_SECONDS = 86_400  # a wall clock that is further behind may be the wrong one; it should be set within a day

MAX_JUMP_SECONDS = 604_800  # a week: a long week-end without power needs no confirmation
_UPTIME_SLACK_SECONDS = 60.0  # both clocks are read one after the other

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_UPTIME = Path("/proc/uptime")


class Moment(NamedTuple):
    """The clocks of the host at one moment: seconds since 1970, seconds since a start of the host, and its identifier.

    `suspended` is the number of seconds since that start in which the host slept; `monotonic` does not count them.
    """

    wall: float
    monotonic: float
    boot: str
    suspended: float = 0.0


class Anchor(NamedTuple):
    """The second `wall` of the reading `monotonic` in the boot `boot`; no second above `ceiling` was returned yet."""

    wall: float
    monotonic: float
    boot: str
    ceiling: int


class ClockTime(NamedTuple):
    """The time of the clock: `second` after `anchor` was written to the store; `safe` if it cannot be written."""

    second: int
    anchor: Anchor
    safe: int


@cache
def boot_id(file: Path = _BOOT) -> str:
    """Return the identifier of this boot of the host; an empty string if the system has none."""
    try:
        return file.read_text("utf-8").strip()
    except OSError:
        return ""


def suspended_seconds() -> float:
    """Return for how many seconds the host has slept since its boot; 0 if that is unknown."""
    try:
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC))
    except (AttributeError, OSError):
        return 0.0


def uptime_seconds(file: Path = _UPTIME) -> float:
    """Return for how many seconds the host runs, as its kernel says; inf if that is unknown.

    It does not depend on a clock that is faked for this process. In LXC containers, the file is on another file system
    and has the time since the start of the container, so it is not used.
    """
    try:
        if file.stat().st_dev != file.parent.stat().st_dev:
            return inf
        return float(file.read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        return inf


@dataclass(frozen=True, slots=True)
class HostClock:
    """The functions that read the clocks of this host; tests use others."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    boot: Callable[[], str] = boot_id
    suspended: Callable[[], float] = lambda: 0.0
    uptime: Callable[[], float] = lambda: inf

    def moment(self) -> Moment:
        """Return the readings of all clocks."""
        return Moment(self.wall(), self.monotonic(), self.boot(), self.suspended())


THIS_HOST = HostClock(suspended=suspended_seconds, uptime=uptime_seconds)


def first(moment: Moment) -> Anchor:
    """Return the anchor of a new store."""
    return Anchor(moment.wall, moment.monotonic, moment.boot, int(moment.wall) + CEILING_SECONDS)


def clock_time(anchor: Anchor, moment: Moment) -> ClockTime:
    """Return the time of the clock. `moment` must be read after `anchor`; otherwise the host seems to have rebooted.

    The anchor of the result is `anchor` itself if nothing must be written.
    """
    if _is_new_boot(anchor, moment):
        return _moved(anchor, moment, max(moment.wall, anchor.ceiling), anchor.ceiling)
    now = anchor.wall + moment.monotonic - anchor.monotonic
    second = int(now)
    safe = min(second, anchor.ceiling)
    if moment.wall >= now + AHEAD_SECONDS:
        return _moved(anchor, moment, moment.wall, safe)
    if second <= anchor.ceiling:
        return ClockTime(second, anchor, safe)
    if AHEAD_SECONDS <= now - moment.wall <= MOST_SLOWED_SECONDS:
        return _slowed(anchor, moment, now)
    return ClockTime(second, anchor._replace(ceiling=second + CEILING_SECONDS), safe)


def _slowed(anchor: Anchor, moment: Moment, now: float) -> ClockTime:
    """Return the time of a clock that is ahead and would pass its ceiling: it stops there, and continues later.

    If it was not read for a while, or real time has caught up, it continues from the wall clock.
    """
    has_caught_up = moment.wall > anchor.ceiling - AHEAD_SECONDS
    if not has_caught_up and now - anchor.ceiling < STANDING_SECONDS:
        return ClockTime(anchor.ceiling, anchor, anchor.ceiling)
    return _moved(anchor, moment, max(moment.wall, anchor.ceiling), anchor.ceiling)


def unexplained(anchor: Anchor, moment: Moment, uptime: float) -> float:
    """Return how many seconds the clocks of this process are ahead of the time that can have passed since `anchor`.

    While the host runs, its monotonic clock and its sleep explain the time; `uptime` shows whether the monotonic clock
    of this process is faked. After a reboot, nothing explains the time in which the host was off.
    """
    if _is_new_boot(anchor, moment):
        return moment.wall - anchor.ceiling
    if is_false(anchor, moment, uptime):
        return moment.monotonic - uptime
    return moment.wall - (anchor.wall + moment.monotonic - anchor.monotonic) - moment.suspended


def held(anchor: Anchor, moment: Moment, uptime: float) -> ClockTime:
    """Return the time if a jump is not accepted. It may be too early, but never later than that of other processes."""
    if _is_new_boot(anchor, moment):
        return ClockTime(anchor.ceiling, anchor, anchor.ceiling)
    if is_false(anchor, moment, uptime):
        return ClockTime(int(anchor.wall), anchor, int(anchor.wall))
    return clock_time(anchor, moment._replace(wall=anchor.wall + moment.monotonic - anchor.monotonic))


def lifted(anchor: Anchor, moment: Moment, ceiling: int) -> Anchor:
    """Return an anchor whose clock returns no second below `ceiling`, which a former store may have answered.

    With the ceiling of `anchor` itself, the new anchor accepts the wall clock of `moment`, however far ahead it is.
    """
    return _moved(anchor, moment, max(moment.wall, ceiling, clock_time(anchor, moment).second), ceiling).anchor


def _is_new_boot(anchor: Anchor, moment: Moment) -> bool:
    return moment.boot != anchor.boot or moment.monotonic < anchor.monotonic


def is_false(anchor: Anchor, moment: Moment, uptime: float) -> bool:
    """Return whether the monotonic clock is faked: it shows more than the uptime (but not one of a container)."""
    return moment.boot == anchor.boot and moment.monotonic > uptime + _UPTIME_SLACK_SECONDS >= anchor.monotonic


def _moved(anchor: Anchor, moment: Moment, wall: float, safe: int) -> ClockTime:
    ceiling = max(anchor.ceiling, int(wall) + CEILING_SECONDS)
    return ClockTime(int(wall), Anchor(wall, moment.monotonic, moment.boot, ceiling), safe)
