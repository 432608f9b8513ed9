"""Dates of works as catalogues write them, and which of several is cited. Pure, and linear in the length of a text."""

import re
from calendar import monthrange
from collections.abc import Iterable

from gateway.core.model import DateType, WorkDate
from gateway.core.words import table

_LONGEST = 200  # characters of a date; the rest of a longer text is not read
_YEAR = re.compile(r"(?<![0-9])(1[0-9]{3}|20[0-9]{2})(?![0-9])")
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_CORRECTED = re.compile(r"\[[^\]0-9]{0,12}(1[0-9]{3}|20[0-9]{2})[^\]]{0,12}\]")  # `2345 [2013?]`
_COMPACT = re.compile(r"(?<![0-9])((?:1[0-9]|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])?(?![0-9])")
_DECADE = re.compile(r"(?<![0-9])(1[0-9]{2}|20[0-9])[u?xX-](?![0-9])")
_ISO = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9])")
_DAY_FIRST = re.compile(r"(?<![0-9])([0-9]{1,2})([./-])([0-9]{1,2})\2((?:1[0-9]|20)[0-9]{2})(?![0-9])")
_NAMED = re.compile(
    r"(?i)(?<![0-9])([0-9]{1,2})?\.?[\s-]{0,3}([a-z]{3})[a-z]{0,6}\.?[\s,-]{0,3}([0-9]{1,2},)?[\s-]{0,3}"
    r"((?:1[0-9]|20)[0-9]{2})"
)
_MONTHS = tuple(table(__file__, "texts")["months"])
_EMBARGO = "embargoend"
# Digits of other scripts, and of East Asian years: 二〇一五年.
_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


def year_of(text: str) -> int:
    """Return the year of a date in any form: the first of a span, the one in brackets if they correct another.

    `[2013?]`, `c1996`, `20150310`, `197u`, `01/01/2017`, `二〇一五年` have one. Return 0 if there is none: `19uu`.
    """
    text = _western(text[:_LONGEST])
    if "[" in text and (match := _CORRECTED.search(text)):
        return int(match[1])
    if (match := _YEAR.search(text)) or (match := _COMPACT.search(text)):
        return int(match[1])
    return int(f"{match[1]}0") if (match := _DECADE.search(text)) else 0


def years_in(text: str) -> tuple[str, ...]:
    """Return the years from 1500 to 2099 in a text of any length, as they stand there in four digits."""
    return tuple(_FOUR_DIGITS.findall(text))


def _western(text: str) -> str:
    if text.isascii():
        return text
    if not text.isdecimal() and "年" in text:
        text = text.translate(_DIGITS).replace("年", " ")
    return "".join(str(int(sign)) if not sign.isascii() and sign.isdecimal() else sign for sign in text)


def iso_of(text: str) -> str:
    """Return a date as ISO 8601 has it, as far as it is exact: year, month, day; empty if it has no year."""
    text = _western(text[:_LONGEST]).strip()
    if _ISO.match(text) and "[" not in text:
        return "-".join(date_parts(text)) if year_of(text) else ""
    year = year_of(text)
    if not year or "[" in text:
        return str(year or "")
    if match := _COMPACT.fullmatch(text[:8]):
        return "-".join(date_parts("-".join(filter(None, match.groups()))))
    if match := _DAY_FIRST.search(text):
        first, second = int(match[1]), int(match[3])
        # 03/04/2017 is in March or in April.
        day, month = (first, second) if second <= 12 < first else (second, first) if first <= 12 < second else (0, 0)  # noqa: PLR2004
        if first == second <= 12:  # noqa: PLR2004
            day, month = first, second
        if month:
            return "-".join(date_parts(f"{match[4]}-{month:02}-{day:02}"))
    if (match := _NAMED.search(text)) and match[2].lower() in _MONTHS and int(match[4]) == year:
        day = int((match[1] or match[3] or "0").strip(","))
        month = _MONTHS.index(match[2].lower()) + 1
        return "-".join(date_parts(f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")))
    return str(year)


def date_parts(text: str) -> tuple[str, ...]:
    """Return year, month and day of a date of ISO 8601, as far as it has them and the calendar does."""
    match = _ISO.match(text)
    if match is None:
        return ()
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= len(_MONTHS) or int(year) == 0:
        return (year,)
    if day is None or not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return year, month
    return year, month, day


_ORDER = {type_: place for place, type_ in enumerate(DateType)}
_NEVER = _ORDER[DateType.EMBARGO_END]


def date_of(dates: Iterable[WorkDate]) -> tuple[str, int]:
    """Return the date to cite, as the record has it, and its year; an empty string and 0 if no date has a year.

    It is the date of publication. The next choices are, in this order, those of the copyright, of creation, of
    availability, of acceptance, and of submission. Of several of one type, the first counts.
    """
    best: tuple[int, str, int] | None = None
    for text, type_ in dates:
        place = _ORDER[type_]
        if place >= _NEVER or (best and best[0] <= place):
            continue
        if year := year_of(text):
            best = (place, text, year)
    return (best[1], best[2]) if best else ("", 0)


def _publication_dates(stated: list[str]) -> list[tuple[bool, bool, int, int, str]]:
    """Return what orders the dates that have a year and end no embargo: the least is cited."""
    days = [text[:10] for text in stated]
    return [
        (has_time, has_time and days.count(text[:10]) > 1, year, place, text)
        for place, text in enumerate(stated)
        if (year := year_of(text)) and _EMBARGO not in text[:60].casefold()
        for has_time in (":" in text[-14:],)
    ]


def dublin_core_year(texts: Iterable[str]) -> int:
    """Return the year to cite of the dates in dc:date, which is that of `dublin_core_dates`; 0 if there is none."""
    dates = _publication_dates(list(texts))
    return min(dates)[2] if dates else 0


def dublin_core_dates(texts: Iterable[str]) -> tuple[WorkDate, ...]:
    """Return the dates in dc:date, with the one to cite first: unqualified Dublin Core does not say what they are.

    It is the earliest one. A date with a time of day is one of a repository: DSpace writes the dates of accession and
    of availability, which are often equal. It counts only if there is no other, and then the one that is not twice.
    """
    stated = list(texts)
    dates = _publication_dates(stated)
    others = tuple(
        WorkDate(text, DateType.EMBARGO_END if _EMBARGO in text[:60].casefold() else DateType.OTHER) for text in stated
    )
    if not dates:
        return others
    best = min(dates)
    place, text = best[3:]
    same = [(other[3], other[4]) for other in dates if other[:3] == best[:3]]
    # Of several in that year, the first one that is written as ISO 8601 has it is the most exact.
    place, text = next((entry for entry in same if _ISO.match(entry[1])), (place, text))
    return WorkDate(text), *others[:place], *others[place + 1 :]
