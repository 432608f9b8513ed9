"""Dates as repositories really write them, and as they want to be asked (OAI-PMH 2.0 §3.3). Pure."""

from __future__ import annotations

import re
from calendar import timegm
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from gateway.xmltext import parse_utc_datetime, utc_datetime

DAY = "YYYY-MM-DD"
SECONDS = "YYYY-MM-DDThh:mm:ssZ"
_LAST_SECOND_OF_DAY = 86_399
_DAY_LENGTH = len("2000-01-01")
# 0001-01-01 and the last second of 9999; nothing before and after can be written in four digits.
EARLIEST, LATEST = -62_135_596_800, 253_402_300_799

_LENIENT = re.compile(
    r"\s*(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d++)?)?\s*+(Z|[+-]\d\d:?\d\d)?)?\s*+",
    re.IGNORECASE,
)

_FRACTION = re.compile(r":\d\d[.,](\d+)")


def granularity_of(text: str) -> str:
    """Return which of the two granularities a repository means, however it writes it; days when it cannot be told."""
    return SECONDS if "hh" in text.lower() else DAY


def moment_of(text: str) -> int | None:
    """Return the second that a date means, None when it is none: with fractions, an offset, without Z, or a day.

    What an offset takes out of the years that can be written is the first or the last second of them: the least date
    of .NET, say, in local time.
    """
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(each or 0) for each in match.groups()[:6])
    try:
        moment = timegm(datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).timetuple())
    except ValueError:
        return None
    zone = (match[7] or "Z").replace(":", "")
    if zone in "Zz":
        return moment
    offset = int(zone[1:3]) * 3600 + int(zone[3:5]) * 60
    return _within_years(moment - offset if zone[0] == "+" else moment + offset)


def instant_of(text: str) -> tuple[int, str] | None:
    """Return a date as something that can be compared with another, to its last decimal; None when it is none."""
    second = moment_of(text)
    fraction = _FRACTION.search(text)
    return None if second is None else (second, fraction[1].rstrip("0") if fraction else "")


def written(second: int, granularity: str) -> str:
    """Return a second as an argument at this granularity."""
    text = utc_datetime(_within_years(second))
    return text if granularity == SECONDS else text[:_DAY_LENGTH]


def _within_years(second: int) -> int:
    return min(max(second, EARLIEST), LATEST)


def http_second(text: str) -> int | None:
    """Return the second that the date of a header means (RFC 9110 §5.6.7), None when it is none; no zone means UTC."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    second = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return second if EARLIEST <= second <= LATEST else None


def http_date(text: str) -> str:
    """Return the date of a header as a UTCdatetime; empty when it is none."""
    second = http_second(text)
    return "" if second is None else utc_datetime(second)


def bound(text: str, granularity: str, *, is_until: bool = False) -> str:
    """Return an administrator's date as an argument at this granularity; a day as `until` means its end.

    An empty text stays empty. Raise ValueError for what is no UTCdatetime.
    """
    if not text:
        return ""
    second, is_day = parse_utc_datetime(text)
    return written(second + (_LAST_SECOND_OF_DAY if is_day and is_until else 0), granularity)
