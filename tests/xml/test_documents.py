"""What is no OAI-PMH answer, what would do harm, and other encodings."""

from xml.parsers import expat

import pytest

from gateway.core.errors import NotOaiPmh, NotXml
from harvester.sources.oai_pmh.answers import parse_identify, parse_list
from harvester.xml.decoding import decode
from harvester.xml.parsing import Broken, feed, outline, tag_end
from tests.oai_pages import OAI, page, payload, record
from tests.rows import each_row


@each_row(
    "body, sentence",
    [
        (b"", "empty"),
        (b'{"error": 1}', "JSON"),
        (b"<!DOCTYPE html><html><title>Just a moment...</title>", "blocks robots.*'Just a moment...'"),
        (b"<html><head><title> Log\n in </title></head><body>", "an HTML page entitled 'Log in'"),
        (b"<rss version='2.0'/>", "a feed"),
        (b"<dc xmlns='urn:x'/>", "no OAI-PMH element; its root is 'dc'"),
        (b"<dc xmlns='urn:x'>", "no OAI-PMH element; it begins with ."),
        (b"<Identify xmlns='http://www.openarchives.org/OAI/1.1/OAI_Identify'/>", "not a list of records"),
        (b"<Identify xmlns='http://www.openarchives.org/OAI/1.0/OAI_Identify'>", "is truncated"),
        ("<Identify xmlns='http://www.openarchives.org/OAI/1.0/x'/>".encode("utf-16"), "an Identify element"),
        (b"<OAI-PMH/>", "not a list of records; it holds nothing"),
        ("<OAI-PMH/>".encode("utf-16"), "nothing in it"),
    ],
)
def test_what_is_no_answer_is_told_by_what_it_looks_like(body: bytes, sentence: str):
    with pytest.raises((NotXml, NotOaiPmh), match=sentence):
        parse_list(body)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))


@each_row("place", ["<d>&l9;</d>", "<d a='&l9;'/>"])
@each_row("before", ["", "<!-- <OAI-PMH> -->", "<?x?> "])
def test_entities_are_never_expanded(place: str, before: str):
    text = page(record(1, place), declaration=f'<?xml version="1.0"?>{before}<!DOCTYPE OAI-PMH [{LAUGHS}]>')
    answer = parse_list(text.encode())
    assert b"&amp;l9;" in answer.repaired
    element = payload(answer.repaired, answer.slices[0])
    assert "&l9;" in (element.text or element.get("a") or "")
    assert answer.losses == (
        "References to the entity 'l9' are left as they are, because it stands for more than 10000 characters: 1.",
    )


def test_document_type_never_reaches_expat():
    with pytest.raises(Broken, match="document type"):
        outline(b"<!DOCTYPE a><a/>", 1)


def test_offsets_are_right_whatever_stands_in_quotes():
    data = "<a x='é>'><b y=\"/>\"/><c\n/><d>é<e/></d></a>".encode()
    root = outline(data, 2)
    assert [data[child.start : child.stop] for child in root.children] == [
        b'<b y="/>"/>',
        b"<c\n/>",
        "<d>é<e/></d>".encode(),
    ]
    assert root.stop == len(data)


def test_there_is_a_tag_or_an_error():
    with pytest.raises(Broken, match="no start tag at byte 1"):
        tag_end(b"<a/>", 1)


def test_identify_wants_identify():
    with pytest.raises(NotOaiPmh, match="not Identify; it holds ListRecords"):
        parse_identify(f'<OAI-PMH xmlns="{OAI}"><ListRecords/></OAI-PMH>'.encode())


def test_feed_takes_what_is_well_formed():
    parser, names = expat.ParserCreate(), []
    parser.StartElementHandler = lambda name, _: names.append(name)
    feed(parser, b"<a/>")
    assert names == ["a"]


TITLE = "Grüße, “naïve” Œuvre €"


def _title(body: bytes, content_type: str = "") -> tuple[str | None, tuple[str, ...]]:
    answer = parse_list(body, content_type)
    return payload(answer.repaired or body, answer.slices[0])[0].text, answer.repairs


def _page(title: str, declared: str) -> str:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    return page(record(1, f"<d xmlns='urn:d'><t>{title}</t></d>"), declaration=declaration)


@each_row("declared", ["UTF-8", "utf8", ""])
@each_row("mark", [b"", b"\xef\xbb\xbf"])
def test_utf_8_is_read_without_ado(declared: str, mark: bytes):
    assert _title(mark + _page(TITLE, declared).encode()) == (TITLE, ())


@each_row(
    "declared, codec, content_type",
    [
        ("windows-1252", "cp1252", ""),
        ("ISO-8859-1", "cp1252", ""),  # as the web reads it
        ("", "cp1252", "text/xml; charset=windows-1252"),
        ("no-such", "cp1252", 'text/xml; charset="windows-1252"'),
        ("UTF-16", "utf-16", ""),
        ("UTF-16", "utf-16-le", ""),
        ("UTF-16", "utf-16-be", ""),
        ("", "utf-32", ""),
        ("GB18030", "gb18030", ""),
        ("UTF-8", "utf-16", ""),
    ],
)
def test_other_encodings_become_utf_8_and_are_reported(declared: str, codec: str, content_type: str):
    title, repairs = _title(_page(TITLE, declared).encode(codec), content_type)
    assert title == TITLE
    assert "was read as" in repairs[0]


@each_row("declared", ["ISO-8859-1", "UTF-16", "Shift_JIS"])
def test_utf_8_under_a_wrong_declaration_is_utf_8(declared: str):
    title, repairs = _title(_page(TITLE, declared).encode())
    assert title == TITLE
    assert "is UTF-8" in repairs[0]


@each_row("marks", [0, 1, 2])
def test_latin_bytes_under_utf_8_are_read_as_people_meant_them(marks: int):
    """digi.ub.uni-heidelberg.de declared UTF-8 and sent windows-1252.

    A mark is that of the template (findsorguk#843, read 2026-11), and says nothing of what is put into it.
    """
    title, repairs = _title(b"\xef\xbb\xbf" * marks + _page(TITLE, "UTF-8").encode("cp1252"))
    assert title == TITLE
    assert repairs == ("Bytes that are not UTF-8 were read as windows-1252: 7.",)
    title, _ = _title(_page(TITLE + "@", "UTF-8").encode().replace(b"@", b"\xe9"))
    assert title == TITLE + "é"  # one bad byte among good ones changes nothing else


def test_surrogates_written_as_utf_8_are_put_together():
    title, repairs = _title(_page("@", "UTF-8").encode().replace(b"@", b"\xed\xa0\xbd\xed\xb8\x80"))
    assert title == "\U0001f600"
    assert "surrogates" in repairs[0]


def test_marks_without_end_are_passed_over_at_once():
    """What takes them off one by one copies the rest each time, and is at it for minutes."""
    assert decode(b"\xef\xbb\xbf" * 500_000 + b"<a/>") == ("<a/>", (), ())


def test_bytes_that_contradict_their_mark_are_replaced_and_lost():
    decoded = decode(b"\xff\xfe<\0a\0/\0>\0\0\xd8")
    assert decoded.text.startswith("<a/>")
    assert "U+FFFD" in decoded.repairs[0]
    assert decoded.losses == decoded.repairs


@each_row("codec", ["idna", "unicode_escape", "punycode", "rot13", "zlib", "utf-7"])
def test_no_answer_chooses_a_codec_that_is_no_encoding_of_text(codec: str):
    assert decode(f'<?xml version="1.0" encoding="{codec}"?><a>é</a>'.encode("latin-1")).text.endswith("<a>é</a>")
