"""The store's clock: seconds that never go back, shared by all processes of one host. Pure; the store keeps the anchor.

An *anchor* says which second a reading of the host's monotonic clock stands for. From there the clock runs with the
monotonic clock, so that a step of the wall clock back does nothing; when the wall clock runs ahead, the anchor
follows it. Nothing is ever told above the anchor's *ceiling*, which is kept in the store: after a reboot, when nobody
knows what was told last, the clock goes on from the ceiling.

A clock that is ahead of the wall clock stands at each ceiling for a while, until real time has caught up. A process
that has read the anchor before tells nothing above that ceiling, so no second goes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

CEILING_SECONDS = 60  # a minute: one small write a minute, and at most a minute ahead of the wall after a reboot
AHEAD_SECONDS = 2  # clocks that are slewed differ by less; a wall further ahead was set, or the host slept

STANDING_SECONDS = 60  # a minute at each ceiling: a clock that is ahead goes at half its speed
MOST_SLOWED_SECONDS = 86_400  # a wall clock further behind may be the wrong one, and is to be set within a day

MAX_JUMP_SECONDS = 604_800  # a week: a long week-end without power needs no confirmation
_UPTIME_SLACK_SECONDS = 60.0  # both clocks are read one after the other

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_UPTIME = Path("/proc/uptime")


class Moment(NamedTuple):
    """What the host's clocks show at one moment: seconds since 1970, seconds since some start, and which start.

    `suspended` is how many seconds since that start the host slept, which `monotonic` does not count.
    """

    wall: float
    monotonic: float
    boot: str
    suspended: float = 0.0


class Anchor(NamedTuple):
    """Which second (`wall`) the reading `monotonic` of the boot `boot` stands for; nothing above `ceiling` was told."""

    wall: float
    monotonic: float
    boot: str
    ceiling: int


class Telling(NamedTuple):
    """What the clock says: `second` once `anchor` is kept in the store; `safe` if it cannot be kept there."""

    second: int
    anchor: Anchor
    safe: int


@cache
def boot_id(file: Path = _BOOT) -> str:
    """Return what names this start of the host, which no process outlives; empty where the system has no such name."""
    try:
        return file.read_text("utf-8").strip()
    except OSError:
        return ""


def suspended_seconds() -> float:
    """Return for how long the host has slept since it was started; 0 where the system does not tell."""
    try:
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC))
    except (AttributeError, OSError):
        return 0.0


def uptime_seconds(file: Path = _UPTIME) -> float:
    """Return how long the host runs as its kernel says, whatever clock a process is shown; inf where it does not.

    Containers of LXC are shown a file of another file system in its place, which says how long the container runs.
    """
    try:
        if file.stat().st_dev != file.parent.stat().st_dev:
            return inf
        return float(file.read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        return inf


@dataclass(frozen=True, slots=True)
class HostClock:
    """The clocks of this host; tests hand in their own."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    boot: Callable[[], str] = boot_id
    suspended: Callable[[], float] = lambda: 0.0
    uptime: Callable[[], float] = lambda: inf

    def moment(self) -> Moment:
        """Read them."""
        return Moment(self.wall(), self.monotonic(), self.boot(), self.suspended())


THIS_HOST = HostClock(suspended=suspended_seconds, uptime=uptime_seconds)


def first(moment: Moment) -> Anchor:
    """Return the anchor of a new store."""
    return Anchor(moment.wall, moment.monotonic, moment.boot, int(moment.wall) + CEILING_SECONDS)


def tell(anchor: Anchor, moment: Moment) -> Telling:
    """Tell the second. `moment` must have been read after `anchor`: else the host seems to have started anew.

    The anchor of the answer is `anchor` itself when nothing is to be written.
    """
    if _is_new_boot(anchor, moment):
        return _moved(anchor, moment, max(moment.wall, anchor.ceiling), anchor.ceiling)
    now = anchor.wall + moment.monotonic - anchor.monotonic
    second = int(now)
    safe = min(second, anchor.ceiling)
    if moment.wall >= now + AHEAD_SECONDS:
        return _moved(anchor, moment, moment.wall, safe)
    if second <= anchor.ceiling:
        return Telling(second, anchor, safe)
    if AHEAD_SECONDS <= now - moment.wall <= MOST_SLOWED_SECONDS:
        return _slowed(anchor, moment, now)
    return Telling(second, anchor._replace(ceiling=second + CEILING_SECONDS), safe)


def _slowed(anchor: Anchor, moment: Moment, now: float) -> Telling:
    """Tell the second of a clock that is ahead and would go above its ceiling: it stands there, and goes on later.

    Where nobody asked for a while, or real time has caught up, it goes on from the wall clock.
    """
    has_caught_up = moment.wall > anchor.ceiling - AHEAD_SECONDS
    if not has_caught_up and now - anchor.ceiling < STANDING_SECONDS:
        return Telling(anchor.ceiling, anchor, anchor.ceiling)
    return _moved(anchor, moment, max(moment.wall, anchor.ceiling), anchor.ceiling)


def unexplained(anchor: Anchor, moment: Moment, uptime: float) -> float:
    """Return how many seconds the clocks of this process are ahead of what can have passed since `anchor`.

    While the host runs, its monotonic clock and its sleep explain what passed; `uptime` shows whether a process is
    given a monotonic clock of its own. After a reboot nothing explains the time in which the host was off.
    """
    if _is_new_boot(anchor, moment):
        return moment.wall - anchor.ceiling
    if is_false(anchor, moment, uptime):
        return moment.monotonic - uptime
    return moment.wall - (anchor.wall + moment.monotonic - anchor.monotonic) - moment.suspended


def held(anchor: Anchor, moment: Moment, uptime: float) -> Telling:
    """Tell the second when a jump is not believed. It may be older than it is; never later than others tell it."""
    if _is_new_boot(anchor, moment):
        return Telling(anchor.ceiling, anchor, anchor.ceiling)
    if is_false(anchor, moment, uptime):
        return Telling(int(anchor.wall), anchor, int(anchor.wall))
    return tell(anchor, moment._replace(wall=anchor.wall + moment.monotonic - anchor.monotonic))


def lifted(anchor: Anchor, moment: Moment, ceiling: int) -> Anchor:
    """Return an anchor whose clock tells nothing below `ceiling`: another store of this repository may have told it.

    With the ceiling of `anchor` itself it is an anchor that believes the wall clock of `moment`, however far it is.
    """
    return _moved(anchor, moment, max(moment.wall, ceiling, tell(anchor, moment).second), ceiling).anchor


def _is_new_boot(anchor: Anchor, moment: Moment) -> bool:
    return moment.boot != anchor.boot or moment.monotonic < anchor.monotonic


def is_false(anchor: Anchor, moment: Moment, uptime: float) -> bool:
    """Tell whether the monotonic clock shows more than the host runs; in some containers the uptime is their own."""
    return moment.boot == anchor.boot and moment.monotonic > uptime + _UPTIME_SLACK_SECONDS >= anchor.monotonic


def _moved(anchor: Anchor, moment: Moment, wall: float, safe: int) -> Telling:
    ceiling = max(anchor.ceiling, int(wall) + CEILING_SECONDS)
    return Telling(int(wall), Anchor(wall, moment.monotonic, moment.boot, ceiling), safe)
