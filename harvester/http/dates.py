"""Dates: as repositories write them, and as arguments of requests (OAI-PMH 2.0 §3.3). Pure. Seconds are Unix time."""

import re
from calendar import timegm
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from gateway.core.xmltext import parse_utc_datetime, utc_datetime

DAY = "YYYY-MM-DD"
SECONDS = "YYYY-MM-DDThh:mm:ssZ"
_LAST_SECOND_OF_DAY = 86_399
_DAY_LENGTH = len("2000-01-01")
# 0001-01-01 and the last second of 9999; other years cannot be written in four digits.
EARLIEST, LATEST = -62_135_596_800, 253_402_300_799

_LENIENT = re.compile(
    r"\s*(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d++)?)?\s*+(Z|[+-]\d\d:?\d\d)?)?\s*+",
    re.IGNORECASE,
)

_FRACTION = re.compile(r":\d\d[.,](\d+)")


def granularity_of(text: str) -> str:
    """Return the granularity that a repository means, in any spelling; days when it is unclear."""
    return SECONDS if "hh" in text.lower() else DAY


def moment_of(text: str) -> int | None:
    """Return the second (UTC) that a date means, or None. Fractions, offsets, a missing Z, and days are accepted.

    A date that its offset moves out of the years 1 to 9999 becomes the first or the last second of them. An example is
    the least date of .NET in local time.
    """
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(group or 0) for group in match.groups()[:6])
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
    """Return a date as a pair that can be compared with others: second, and decimals. Return None for no date."""
    second = moment_of(text)
    fraction = _FRACTION.search(text)
    return None if second is None else (second, fraction[1].rstrip("0") if fraction else "")


def written(second: int, granularity: str) -> str:
    """Return a second as an argument (UTC) at this granularity."""
    text = utc_datetime(_within_years(second))
    return text if granularity == SECONDS else text[:_DAY_LENGTH]


def _within_years(second: int) -> int:
    return min(max(second, EARLIEST), LATEST)


def http_second(text: str) -> int | None:
    """Return the second that the date of a header means (RFC 9110 §5.6.7), or None; no zone means UTC."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    second = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return second if EARLIEST <= second <= LATEST else None


def http_date(text: str) -> str:
    """Return the date of a header as a UTCdatetime; empty when it is not a date."""
    second = http_second(text)
    return "" if second is None else utc_datetime(second)


def bound(text: str, granularity: str, *, is_until: bool = False) -> str:
    """Return an administrator's date as an argument at this granularity; a day as `until` means its last second.

    An empty text stays empty. Raise ValueError for a text that is not a UTCdatetime.
    """
    if not text:
        return ""
    second, is_day = parse_utc_datetime(text)
    return written(second + (_LAST_SECOND_OF_DAY if is_day and is_until else 0), granularity)
