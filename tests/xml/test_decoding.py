"""Encodings: declared, marked, lied about."""

from harvester.sources.oai_pmh.answers import parse_list
from harvester.xml.decoding import decode
from tests.oai_pages import page, payload, record
from tests.rows import each_row

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
