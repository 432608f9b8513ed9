"""The date of a work in its dc:dates, which often have dates of a repository beside it. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable

_YEAR = re.compile(r"(?<![0-9])(1[0-9]{3}|20[0-9]{2})(?![0-9])")
_ISO = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9])")
_EMBARGO = "embargoend"
_MONTHS = 12


def date_of(texts: Iterable[str]) -> tuple[str, int]:
    """Return the date of the work as the record has it, and its year; an empty string and 0 if no date has a year.

    It is the earliest one. A date with a time of day is one of a repository, and counts only if there is no other. The
    end of an embargo is no date of the work.
    """
    dates = [
        (":" in text[-9:], int(match[1]), place, text)
        for place, text in enumerate(texts)
        if _EMBARGO not in text.casefold() and (match := _YEAR.search(text))
    ]
    if not dates:
        return "", 0
    is_of_repository, year, _, text = min(dates)
    same = [other for other in dates if other[:2] == (is_of_repository, year)]
    # Of several in that year, the first one that is written as ISO 8601 has it is the most exact.
    return next((other[3] for other in same if _ISO.match(other[3])), text), year


def date_parts(text: str) -> tuple[str, ...]:
    """Return year, month and day of a date of ISO 8601, as far as it has them and the calendar does."""
    match = _ISO.match(text)
    if match is None:
        return ()
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= _MONTHS or int(year) == 0:
        return (year,)
    if day is None or not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return year, month
    return year, month, day
