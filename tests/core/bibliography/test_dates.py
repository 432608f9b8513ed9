"""Which of the dates of a record is that of the work, and how exact it is; languages are read as BCP 47 has them."""

from gateway.core.bibliography.dates import date_of, date_parts, dublin_core_dates, iso_of, year_of
from gateway.core.bibliography.languages import language_tag, languages_in
from gateway.core.model import DateType, WorkDate
from tests.rows import each_row


@each_row(
    "dates, date",
    [
        ([], ("", 0)),
        (["no date"], ("", 0)),
        (["2013-02-11T10:00:00Z", "2013-02-11T10:00:00Z", "2001"], ("2001", 2001)),
        (["2013-02-11T10:00:00Z", "2013-02-11T10:00:00Z", "2014-01-01T00:00:00Z"], ("2014-01-01T00:00:00Z", 2014)),
        (["2003", "2003", "2010"], ("2003", 2003)),
        (["2013-02-11T10:00:00Z"], ("2013-02-11T10:00:00Z", 2013)),
        (["info:eu-repo/date/embargoEnd/2031-01-01", "2011"], ("2011", 2011)),
        (["c1998", "2005-03-01"], ("c1998", 1998)),
        (["May 1998", "1998-05-03"], ("1998-05-03", 1998)),
        (["1000"], ("1000", 1000)),
    ],
)
def test_the_date_of_the_work_is_chosen(dates, date):
    assert date_of(dublin_core_dates(dates)) == date


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


@each_row("text, iso",
    [
        ("[2013?]", "2013"), ("2345 [2013?]", "2013"), ("c1996.", "1996"), ("cop. 2001", "2001"),
        ("20150310", "2015-03-10"),
        ("201503", "2015-03"), ("197u", "1970"), ("19uu", ""), ("1843-1850", "1843"), ("01/01/2017", "2017-01-01"),
        ("31/01/2017", "2017-01-31"), ("03/04/2017", "2017"), ("01-Jan-1930", "1930-01-01"), ("March 2004", "2004-03"),
        ("\u4e8c\u3007\u4e00\u4e94\u5e74", "2015"), ("\uff12\uff10\uff11\uff15", "2015"), ("-0044", ""),
        ("9999", ""), ("0000", ""),
        ("2015-03-10T12:00:00Z", "2015-03-10"), ("||||", ""), ("x" * 1_000_000 + "2001", ""),
    ],
)  # fmt: skip
def test_a_date_in_any_form_has_a_year_or_none(text, iso):
    assert iso_of(text) == iso
    assert year_of(text) == int(iso[:4] or 0)


def test_the_date_of_publication_is_cited_and_never_that_of_the_record():
    dates = [WorkDate("1998", DateType.CREATED), WorkDate("2023", DateType.OTHER), WorkDate("2021", DateType.ISSUED)]
    assert date_of(dates) == ("2021", 2021)
    assert date_of(dates[:2]) == ("1998", 1998)
    assert date_of(dates[1:2]) == ("", 0)


@each_row("code, tag",
    [
        ("en", "en"), ("EN", "en"), ("en_US", "en-US"), ("de-DE-1996", "de-DE-1996"), ("zh-Hans", "zh-Hans"),
        ("ger", "de"), ("deu", "de"), ("fre-CA", "fr-CA"), ("iw", "he"), ("es-419", "es-419"), ("grc", "grc"),
        ("pt-br?", "pt"), ("en-a-b", "en"), ("English", "en"), ("Español", "es"),
        ("x", ""), ("xx", ""), ("zxx", ""), ("mul", ""), ("", ""),
        ("en\u0661", ""), ('en" onclick="x', ""),
    ],
)  # fmt: skip
def test_a_code_of_a_record_becomes_a_tag(code, tag):
    assert language_tag(code) == tag


@each_row("text, tags",
    [
        ("eng fre", ("en", "fr")), ("gereng", ("de", "en")), ("English; German", ("en", "de")), ("mul", ()),
        ("in the text", ()), ("http://id.loc.gov/vocabulary/iso639-2/fre", ("fr",)), ("x" * 10_000, ()),
    ],
)  # fmt: skip
def test_several_languages_in_one_text_are_several(text, tags):
    assert languages_in(text) == tags
