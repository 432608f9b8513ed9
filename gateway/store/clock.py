"""The store's clock: seconds that never go back, shared by all processes of one host. Pure; the store keeps the anchor.

An *anchor* says which second a reading of the host's monotonic clock stands for. From there the clock runs with the
monotonic clock, so that a step of the wall clock back does nothing; when the wall clock runs ahead, the anchor
follows it. Nothing is ever told above the anchor's *ceiling*, which is kept in the store: after a reboot, when nobody
knows what was told last, the clock goes on from the ceiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

CEILING_SECONDS = 60  # a minute: one small write a minute, and at most a minute ahead of the wall after a reboot
AHEAD_SECONDS = 2  # clocks that are slewed differ by less; a wall further ahead was set, or the host slept

_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Moment(NamedTuple):
    """What the host's clocks show at one moment: seconds since 1970, seconds since some start, and which start."""

    wall: float
    monotonic: float
    boot: str


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


@dataclass(frozen=True, slots=True)
class HostClock:
    """The clocks of this host; tests hand in their own."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    boot: Callable[[], str] = boot_id

    def moment(self) -> Moment:
        """Read them."""
        return Moment(self.wall(), self.monotonic(), self.boot())


def first(moment: Moment) -> Anchor:
    """Return the anchor of a new store."""
    return Anchor(moment.wall, moment.monotonic, moment.boot, int(moment.wall) + CEILING_SECONDS)


def tell(anchor: Anchor, moment: Moment) -> Telling:
    """Tell the second. `moment` must have been read after `anchor`: else the host seems to have started anew.

    The anchor of the answer is `anchor` itself when nothing is to be written.
    """
    if moment.boot != anchor.boot or moment.monotonic < anchor.monotonic:
        return _moved(anchor, moment, max(moment.wall, anchor.ceiling), anchor.ceiling)
    now = anchor.wall + moment.monotonic - anchor.monotonic
    second = int(now)
    safe = min(second, anchor.ceiling)
    if moment.wall >= now + AHEAD_SECONDS:
        return _moved(anchor, moment, moment.wall, safe)
    if second > anchor.ceiling:
        return Telling(second, anchor._replace(ceiling=second + CEILING_SECONDS), safe)
    return Telling(second, anchor, safe)


def _moved(anchor: Anchor, moment: Moment, wall: float, safe: int) -> Telling:
    ceiling = max(anchor.ceiling, int(wall) + CEILING_SECONDS)
    return Telling(int(wall), Anchor(wall, moment.monotonic, moment.boot, ceiling), safe)
