"""Who may have a file, and from which day on, as records, services and cover pages state it. Pure.

The words are those of info:eu-repo and of COAR's Access Rights 1.0; the dates are those of ISO 8601, or of sentences.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date
from enum import StrEnum

from gateway.model import Work


class Access(StrEnum):
    """Who may have a file: a closed list, the widest first."""

    OPEN = "open"
    EMBARGOED = "embargoed"
    RESTRICTED = "restricted"
    CLOSED = "closed"


_COAR = {
    "c_abf2": Access.OPEN,
    "c_f1cf": Access.EMBARGOED,
    "c_16ec": Access.RESTRICTED,
    "c_14cb": Access.CLOSED,  # metadata only access
}
_WORD = re.compile(r"(?i)\b(open|embargoed|restricted|closed)[ _-]?access\b|\baccess_right/(c_[0-9a-f]{4})\b")
_EMBARGO_END = re.compile(r"info:eu-repo/date/embargoEnd/(\d{4}(?:-\d\d){0,2})")
_DAY = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?=$|[\sT/])")
UNNAMED = "9999-12-31"  # the day from which on something may be had, where nobody names it
_YEARS = range(1900, 2200)  # a year outside is a slip of the pen, and no date

# What says on a cover page that the file behind it may not be had yet; DSpace's, EPrints', Pure's and Elsevier's words.
_UNTIL = re.compile(
    r"(?i)\b(?:embargo(?:ed)?|(?:restricted|closed|unavailable|withheld|not available) until"
    r"|(?:full[ -]?text|file|item|thesis|document|version) (?:will be|is|becomes?) available (?:from|on|after))\b"
)
_EMBARGO = re.compile(r"(?i)(?<!\bno )(?<!\bnot )\bembargo(?:ed)?\b")
_NEAR = 80  # characters behind it in which the date must stand
_MOST_READ = 4000  # characters of a cover page
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_UNTIL_YEAR = re.compile(r"(?i)\b(?:until|till|bis) (\d{4})(?![\d-])")
_WRITTEN = re.compile(
    rf"(?i)\b(?:(\d{{4}})-(\d\d)-(\d\d)|(\d\d?)[./](\d\d?)[./](\d{{4}})"
    rf"|(?:(\d\d?)(?:st|nd|rd|th)?\s)?{_NAMES}\s(?:(\d\d?)(?:st|nd|rd|th)?,?\s)?(\d{{4}}))\b"
)


def access_of(texts: Iterable[str]) -> Access | None:
    """Return who may have a file by what these texts say in the usual words, the narrowest; None: they do not say."""
    words = (match for text in texts for match in _WORD.finditer(text))
    named = {Access(word[1].lower()) if word[1] else _COAR.get(word[2].lower()) for word in words}
    return next((access for access in reversed(Access) if access in named), None)


def day_of(text: str, *, is_end: bool = False) -> str:
    """Return the day (`2027-01-31`) that a date means: its first one, or its last where only year or month are given.

    Of a range the beginning counts. Empty for what is no date.
    """
    found = _DAY.match(text)
    return _day(found[1], found[2], found[3], is_end=is_end) if found else ""


def end_of_embargo(texts: Iterable[str]) -> str:
    """Return the last day that these texts name as the end of an embargo (info:eu-repo/date/embargoEnd), or none."""
    found = (day_of(match[1], is_end=True) for text in texts for match in _EMBARGO_END.finditer(text))
    return max(found, default="")


def open_from_record(work: Work) -> str:
    """Return the day from which on the files of a record may be had, as it says itself; empty: it does not say.

    It says so by the end of an embargo, in words of its rights, or as its last date where it calls itself embargoed.
    """
    rights = [each.text for each in work.statements if each.element == "rights"]
    dates = [each.text for each in work.statements if each.element == "date"]
    if stated := end_of_embargo([*dates, *rights]) or max(map(open_from_words, rights), default=""):
        return stated
    is_embargoed = access_of(rights) is Access.EMBARGOED
    return max((day_of(each, is_end=True) for each in dates), default="") if is_embargoed else ""


def is_shut(work: Work) -> bool:
    """Tell whether a record says that not everybody may have its files, and not from which day on they may.

    `9999-12-31`, with which repositories mean for ever, is no day; nor is `12 months`.
    """
    rights = [each.text for each in work.statements if each.element == "rights"]
    access = access_of(rights)
    is_embargoed = access is Access.EMBARGOED or any(_EMBARGO.search(text) for text in rights)
    return access in (Access.RESTRICTED, Access.CLOSED) or (is_embargoed and not open_from_record(work))


def open_from_words(text: str) -> str:
    """Return the day that sentences at the beginning of a text give as the end of an embargo, the last one; or none."""
    beginning = " ".join(text[:_MOST_READ].split())
    return max((day for until in _UNTIL.finditer(beginning) for day in _days_near(beginning, until.end())), default="")


def _days_near(text: str, place: int) -> Iterator[str]:
    found = _WRITTEN.search(text, place, place + _NEAR)
    if found is None:
        year = _UNTIL_YEAR.search(text, max(0, place - len(" until")), place + _NEAR)
        yield _day(year[1], None, None, is_end=True) if year else ""
        return
    if found[1]:
        yield _day(found[1], found[2], found[3])
    elif found[4]:  # 3/4/2027 is a day of March or of April; what is no date is left out
        yield max(_day(found[6], found[5], found[4]), _day(found[6], found[4], found[5]))
    else:
        month = str(_MONTHS.index(found[8].lower()) + 1)
        yield _day(found[10], month, found[7] or found[9], is_end=True)


def _day(year: str, month: str | None, day: str | None, *, is_end: bool = False) -> str:
    try:
        month_ = int(month or (12 if is_end else 1))
        day_ = int(day or (monthrange(int(year), month_)[1] if is_end else 1))
        found = date(int(year), month_, day_)
    except ValueError:
        return ""
    return found.isoformat() if found.year in _YEARS else ""
