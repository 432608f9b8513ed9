"""Which of the dates of a record is that of the work, and how exact it is."""

from __future__ import annotations

from gateway.core.work_dates import date_of, date_parts
from tests.rows import each_row


@each_row(
    "dates, date",
    [
        ([], ("", 0)),
        (["no date"], ("", 0)),
        (["2013-02-11T10:00:00Z", "2013-02-11T10:00:00Z", "2001"], ("2001", 2001)),
        (["2013-02-11T10:00:00Z"], ("2013-02-11T10:00:00Z", 2013)),
        (["info:eu-repo/date/embargoEnd/2031-01-01", "2011"], ("2011", 2011)),
        (["c1998", "2005-03-01"], ("c1998", 1998)),
        (["May 1998", "1998-05-03"], ("1998-05-03", 1998)),
        (["1000"], ("1000", 1000)),
    ],
)
def test_the_date_of_the_work_is_chosen(dates, date):
    assert date_of(dates) == date


@each_row(
    "date, parts",
    [
        ("2019-05-07", ("2019", "05", "07")), ("2019-05", ("2019", "05")), ("2001-13-45", ("2001",)),
        ("2001-02-30", ("2001", "02")), ("2004-02-29", ("2004", "02", "29")), ("0000-01-01", ("0000",)),
        ("1998-2001", ("1998",)), ("2001-05/2003-06", ("2001", "05")), ("c1998", ()), ("", ()),
    ],
)  # fmt: skip
def test_only_parts_that_the_calendar_has_are_given(date, parts):
    assert date_parts(date) == parts
