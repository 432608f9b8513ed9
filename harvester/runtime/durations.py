"""Durations as people write them in settings and options: `6h`, `30d`, or `never`. Pure."""

from __future__ import annotations

import re

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


_DURATION = re.compile(r"([0-9]{1,6})([smhdw])")


NEVER = "never"  # an explicit `every`; a missing one may have been forgotten


def is_duration(text: str) -> bool:
    """Return whether a text is a duration: a whole number, not 0, and one of s, m, h, d, w."""
    match = _DURATION.fullmatch(text)
    return match is not None and int(match[1]) > 0


def is_schedule(text: str) -> bool:
    """Return whether a text is a schedule: a duration, or `never`."""
    return text == NEVER or is_duration(text)


def seconds_of(duration: str) -> int:
    """Return the seconds of a duration such as `6h`."""
    return int(duration[:-1]) * _UNITS[duration[-1]]
