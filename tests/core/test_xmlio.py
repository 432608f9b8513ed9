"""The one parser reads nothing that is too large or too odd, and resolves nothing; escaped text is read as it was."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.core import xmlio
from gateway.core.errors import NotXml
from gateway.core.xmltext import clean, escape, escape_attribute, is_legal, parse_utc_datetime, utc_datetime
from tests.rows import each_row


@each_row(
    "content, sentence",
    [
        (b"<a>", "not well-formed"),
        (b"", "not well-formed"),
        (b"<a xmlns:b=''/>", "not well-formed"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type declaration"),
        (b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "document type declaration"),
        (b"<a>&undefined;</a>", "not well-formed"),
        (b"<a>" + b"x" * 100 + b"</a>", "more than the 50"),
    ],
)
def test_what_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(NotXml, match=sentence):
        xmlio.parse(content, 50 if b"xxx" in content else xmlio.MAX_BYTES)


@pytest.mark.parametrize("is_recovering", [False, True])
def test_no_file_of_ours_is_opened_for_a_stranger(tmp_path, is_recovering: bool) -> None:
    """With `collect_ids=False`, lxml 6.1 on libxml2 2.14 opened the external DTD (2026-11-21)."""
    (tmp_path / "a.dtd").write_text("<!ATTLIST a told CDATA 'secret'>")
    content = f"<!DOCTYPE a SYSTEM '{tmp_path / 'a.dtd'}'><a/>".encode()
    assert dict(etree.fromstring(content, xmlio.hardened_parser(recover=is_recovering)).attrib) == {}
    (tmp_path / "a.dtd").write_text("no DTD")
    assert etree.fromstring(content, xmlio.hardened_parser(recover=is_recovering)).tag == "a"


def test_what_is_nested_too_deep_is_refused_before_it_breaks_a_harvester() -> None:
    def nested(depth: int) -> bytes:
        return b"<a>" * depth + b"</a>" * depth

    assert xmlio.parse(nested(xmlio.MAX_DEPTH)).tag == "a"
    assert xmlio.parse(b"<a>" + b"<b></b>" * 1000 + b"</a>").tag == "a"
    with pytest.raises(NotXml, match="nested deeper than"):
        xmlio.parse(nested(xmlio.MAX_DEPTH + 1))


@each_row(
    "unit, least, most",
    [
        pytest.param(b"<a/>", 30, 40, id="elements"),
        pytest.param(b"dGV4dA==", 2, 3, id="base64, whose equals signs are no attributes"),
        pytest.param(b"<a b=\"\" c=''/>", 30, 50, id="attributes"),
        pytest.param(b"<a>b</a>c", 40, 60, id="elements and texts"),
    ],
)
def test_memory_of_a_document_is_counted_before_it_is_parsed(unit: bytes, least: int, most: int):
    """In bytes of memory for each byte; a small document is not counted."""
    body = b"<r>" + unit * (2_000_000 // len(unit)) + b"</r>"
    assert least <= xmlio.memory_of(body) / len(body) <= most
    assert xmlio.memory_of(unit) == 0


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
