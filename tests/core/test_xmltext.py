"""XML as text: what is escaped parses back to itself, and dates are those of the protocol."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.xmltext import clean, escape, escape_attribute, is_legal, parse_utc_datetime, utc_datetime
from tests.rows import each_row


@given(st.text().map(clean))
def test_escaped_text_parses_back_to_itself(text: str) -> None:
    parsed = ET.fromstring(f"<x>{escape(text)}</x>").text or ""
    # XML 1.0 §2.11: a parser reads every line end as a newline.
    assert parsed == text.replace("\r\n", "\n").replace("\r", "\n")


@given(st.text().map(clean))
def test_escaped_attribute_parses_back_to_itself_white_space_included(text: str) -> None:
    assert ET.fromstring(f'<x y="{escape_attribute(text)}"/>').get("y") == text


def test_the_end_of_a_cdata_section_is_escaped() -> None:
    assert escape("a]]>b && c<d") == "a]]&gt;b &amp;&amp; c&lt;d"


@each_row("character", ["\x00", "\x08", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_character_that_xml_forbids_is_removed(character: str) -> None:
    assert not is_legal(f"a{character}b")
    assert clean(f"a{character}b") == "ab"


@each_row("character", ["\t", "\n", "\r", " ", "\x7f", "\x85", "\ud7ff", "\ue000", "\ufffd", "\U0010ffff"])
def test_character_that_xml_allows_is_kept(character: str) -> None:
    assert is_legal(character)
    assert clean(character) == character


@given(st.integers(min_value=-62_135_596_800, max_value=253_402_300_799))
def test_every_second_of_four_digit_years_is_read_back(second: int) -> None:
    assert parse_utc_datetime(utc_datetime(second)) == (second, False)


@each_row(
    "text",
    [
        "",
        "2026-1-2",
        "2026-02-30",
        "2026-11-21T24:00:00Z",
        "2026-11-21T00:00:00+00:00",
        "2026-11-21 00:00:00Z",
        "\uff12\uff10\uff12\uff16-11-21",  # digits, but not those of ASCII
        "2026-11-21\n",
    ],
)
def test_other_dates_and_dates_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_utc_datetime(text)
