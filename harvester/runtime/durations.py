"""Durations as people write them in settings and options: `6h`, `30d`, or `never`. Pure."""

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


# --- The hours at which a source may be requested ---------------------------------------------------------------------

_HOURS = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = 86_400


def are_hours(text: str) -> bool:
    """Return whether a text is two different times of the day in UTC, such as `21:00-05:00`."""
    match = _HOURS.fullmatch(text)
    return match is not None and match.groups()[:2] != match.groups()[2:]


def opens_in(hours: str, now: float) -> float:
    """Return the seconds from `now` (seconds since 1970) until the hours begin; 0 within them or without hours."""
    match = _HOURS.fullmatch(hours)
    if match is None:
        return 0.0
    begin_hour, begin_minute, end_hour, end_minute = map(int, match.groups())
    begin, end = 3600 * begin_hour + 60 * begin_minute, 3600 * end_hour + 60 * end_minute
    since_begin = (now - begin) % _DAY
    return 0.0 if since_begin < (end - begin) % _DAY else _DAY - since_begin
