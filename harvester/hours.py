"""The hours at which a source may be asked: some allow much at night only, as PubMed Central does. Pure."""

from __future__ import annotations

import re

_HOURS = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = 86_400


def are_hours(text: str) -> bool:
    """Tell whether a text is two different times of the day in UTC, such as `21:00-05:00`."""
    found = _HOURS.fullmatch(text)
    return found is not None and found.groups()[:2] != found.groups()[2:]


def opens_in(hours: str, now: float) -> float:
    """Return how many seconds from `now`, in seconds since 1970, the hours begin; 0 within them. No hours: always."""
    found = _HOURS.fullmatch(hours)
    if found is None:
        return 0.0
    begin_hour, begin_minute, end_hour, end_minute = map(int, found.groups())
    begin, end = 3600 * begin_hour + 60 * begin_minute, 3600 * end_hour + 60 * end_minute
    since_begin = (now - begin) % _DAY
    return 0.0 if since_begin < (end - begin) % _DAY else _DAY - since_begin
