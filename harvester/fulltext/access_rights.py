"""Access rights of files and ends of embargoes, as records, services and cover pages state them. Pure.

The words are those of info:eu-repo and of COAR's Access Rights 1.0; the dates are those of ISO 8601, or of sentences.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from enum import StrEnum

from gateway.core.model import Work
from harvester.words import any_of, load

_WORDS = load("access_rights")


class Access(StrEnum):
    """Access rights: a closed list, the widest first."""

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
_ABROAD = any_of(_WORDS["abroad"])  # the same in other languages
_ABROAD_WORDS = tuple(
    (Access(access), re.compile(rf"(?i)(?<![^\W_])(?:{any_of(words)})(?![^\W_])"))
    for access, words in _WORDS["abroad"].items()
)
_SHUT_LINE = re.compile(rf"(?i)(?:[^\W\d_]{{1,20}}(?: [^\W\d_]{{1,20}})?\s?[:\uff1a]\s?)?(?:{_ABROAD})\W{{0,3}}")
_EMBARGO_END = re.compile(r"info:eu-repo/date/embargoEnd/(\d{4}(?:-\d\d){0,2})")
_DAY = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?=$|[\sT/])")
_YEARS = range(1900, 2200)  # other years are errors

# In a text in lower case.
_UNTIL = re.compile(rf"\b(?:{any_of(_WORDS['later'])})|{any_of(_WORDS['later_elsewhere'])}")
_EMBARGO = re.compile(r"(?i)(?<!\bno )(?<!\bnot )\bembargo(?:ed)?\b")
_NEAR = 80  # characters after it that must contain the date
_BEFORE_YEAR = _NEAR + 100  # characters: the words, and what may be between them and the year
_SOON = timedelta(days=183)  # the date of an issue may be so much later than the article
_YEAR = re.compile(r"[12]\d{3}")
_WITHIN_DATE = 25  # characters of a date before its year or behind it: `23rd of September, 2031`
_MOST_READ = 4000  # characters of a cover page
_MONTHS = tuple(_WORDS["months"].values())  # January first
_NAMES = "|".join(f"({any_of(beginnings)})" for beginnings in _MONTHS)
_OF, _ENDS, _OTHER_ENDS = (
    any_of(_WORDS["dates"][name]) for name in ("before_month", "ends_of_days", "ends_before_month")
)
_UNTIL_YEAR = re.compile(rf"(?i)\b(?:{any_of(_WORDS['until'])}) (\d{{4}})(?![\d-])")
_WRITTEN = re.compile(
    r"(?i)(?<!\d)(?:(?P<y>\d{4})[-/.](?P<m>\d\d)[-/.](?P<d>\d\d)|(?P<one>\d\d?)[./-](?P<two>\d\d?)[./-](?P<year>\d{4})"
    r"|(?P<cy>\d{4})\s?年\s?(?P<cm>\d\d?)\s?月(?:\s?(?P<cd>\d\d?)\s?日)?"
    rf"|(?:(?P<before>\d\d?)(?:{_ENDS}|{_OTHER_ENDS})?[\s-](?:(?:{_OF})\s)?)?"
    rf"(?<![^\W\d_])(?=[^\W\d_]{{3}})(?P<name>{_NAMES})[^\W\d_]{{0,8}}[.,]?[\s-](?:(?:{_OF})\s)?"
    rf"(?:(?P<behind>\d\d?)(?:{_ENDS})?,?\s)?(?P<of>\d{{4}}))(?!\d)"
)


# Statements of a page, in lower case, that its work is under an embargo or restricted, without a day: labels alone in
# their block, and sentences about this very work.
_SHUT_LABEL = re.compile(
    r"\A\W{0,3}+(?:[^\W\d_]{1,20}(?: [^\W\d_]{1,20}){0,2}\s?[:\uff1a]\s?)?"
    rf"(?:(?:{any_of(_WORDS['before_label'])}) )?(?:{any_of(_WORDS['labels'])}|{_ABROAD})\W{{0,3}}"
)
_SHUT_SENTENCE = re.compile(rf"\b(?:{any_of(_WORDS['sentences'])})")


def is_shut_statement(text: str) -> bool:
    """Return whether a text in lower case is a label or a statement of an embargo or of restricted access."""
    return _SHUT_LABEL.fullmatch(text) is not None or _SHUT_SENTENCE.search(text) is not None


def day_in(text: str) -> str:
    """Return the first day of a text, in numbers or words; of a month or year the last one; empty: none."""
    return next(_days_near(text, 0), "") or day_of(text, is_end=True)


def access_of(texts: Iterable[str]) -> Access | None:
    """Return the narrowest access right that these texts state in the usual words; None: not stated."""
    stated = tuple(texts)
    words = (match for text in stated for match in _WORD.finditer(text))
    named = {Access(word[1].lower()) if word[1] else _COAR.get(word[2].lower()) for word in words}
    named |= {access for access, pattern in _ABROAD_WORDS for text in stated if pattern.search(text)}
    return next((access for access in reversed(Access) if access in named), None)


def is_shut_line(line: str) -> bool:
    """Return whether a line consists of a statement of restricted access in another language than English."""
    return _SHUT_LINE.fullmatch(line.strip()) is not None


def day_of(text: str, *, is_end: bool = False) -> str:
    """Return the day (`2027-01-31`) of a date; for a year or month the first day, or with `is_end` the last one.

    The beginning of a range counts. Return an empty text for any other text.
    """
    match = _DAY.match(text)
    return _day(match[1], match[2], match[3], is_end=is_end) if match else ""


def end_of_embargo(texts: Iterable[str]) -> str:
    """Return the last day in these texts that ends an embargo (info:eu-repo/date/embargoEnd), or an empty text."""
    days = (day_of(match[1], is_end=True) for text in texts for match in _EMBARGO_END.finditer(text))
    return max(days, default="")


def open_from_record(work: Work) -> str:
    """Return the day on which the files of a record become available, as it states; empty: not stated.

    It is the end of an embargo, a day in its rights, or its last date if the record says that it is embargoed.
    """
    rights = work.texts("rights")
    dates = work.texts("date")
    if stated := end_of_embargo([*dates, *rights]) or max(map(open_from_words, rights), default=""):
        return stated
    is_embargoed = access_of(rights) is Access.EMBARGOED
    return max((day_of(date, is_end=True) for date in dates), default="") if is_embargoed else ""


def is_shut(work: Work) -> bool:
    """Return whether a record states that its files are restricted, without the day on which this ends.

    `9999-12-31`, which means for ever, is not a day; `12 months` is not a day either.
    """
    rights = work.texts("rights")
    access = access_of(rights)
    is_embargoed = access is Access.EMBARGOED or any(_EMBARGO.search(text) for text in rights)
    return access in (Access.RESTRICTED, Access.CLOSED) or (is_embargoed and not open_from_record(work))


def open_from_words(text: str) -> str:
    """Return the last day that sentences at the beginning of a text state as the end of an embargo; empty: none."""
    beginning = " ".join(text[:_MOST_READ].lower().split())
    return max((day for place in _places(beginning) for day in _days_near(beginning, place)), default="")


def future_day_in(text: str, today: str) -> str:
    """Return the first day at the beginning of a text that is later than `today`; empty: none.

    A month alone counts if it is much later: journals have the date of their next issue.
    """
    beginning = " ".join(text[:_MOST_READ].lower().split())
    soon = (date.fromisoformat(today) + _SOON).isoformat()
    years = (year for year in _YEAR.finditer(beginning) if year[0] >= today[:4])  # most texts have none of them
    around = ((max(0, year.start() - _WITHIN_DATE), year.end() + _WITHIN_DATE) for year in years)
    for match in (match for start, stop in around for match in _WRITTEN.finditer(beginning, start, stop)):
        has_day = bool(match["d"] or match["year"] or match["cd"] or match["before"] or match["behind"])
        day = _day_written(match)
        if day > (today if has_day else soon):
            return day
    return ""


def _places(text: str) -> Iterator[int]:
    """Yield the ends of words on an embargo, as far as a year follows: most texts have few years."""
    last = 0
    for year in _YEAR.finditer(text):
        first = max(last, year.start() - _BEFORE_YEAR)
        matches = _UNTIL.finditer(text, first, year.end() + _NEAR)
        yield from (until.end() for until in matches if until.end() <= year.start())
        last = year.start()


def _days_near(text: str, place: int) -> Iterator[str]:
    match = _WRITTEN.search(text, place, place + _NEAR)
    if match is None:
        year = _UNTIL_YEAR.search(text, max(0, place - len(" until")), place + _NEAR)
        yield _day(year[1], None, None, is_end=True) if year else ""
        return
    yield _day_written(match)


def _day_written(match: re.Match[str]) -> str:
    """Return the day in a date of `_WRITTEN`, of a month alone the last one; empty: there is no such day."""
    if match["y"] or match["cy"]:
        return _day(match["y"] or match["cy"], match["m"] or match["cm"], match["d"] or match["cd"], is_end=True)
    if match["year"]:  # 3/4/2027 may be in March or April; invalid dates are left out
        return max(_day(match["year"], match["two"], match["one"]), _day(match["year"], match["one"], match["two"]))
    month = next(number for number, names in enumerate(_MONTHS, 1) if match["name"].lower() in names)
    return _day(match["of"], str(month), match["before"] or match["behind"], is_end=True)


def _day(year: str, month: str | None, day: str | None, *, is_end: bool = False) -> str:
    try:
        month_ = int(month or (12 if is_end else 1))
        day_ = int(day or (monthrange(int(year), month_)[1] if is_end else 1))
        end = date(int(year), month_, day_)
    except ValueError:
        return ""
    return end.isoformat() if end.year in _YEARS else ""
