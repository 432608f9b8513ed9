"""Cleaning: what was wrong with real answers, and what is made of it. Each test names the damage."""

from harvester.sources.oai_pmh.answers import parse_list
from harvester.xml.repair import cleaned
from tests.oai_pages import identifiers, page, payload, record
from tests.rows import each_row


@each_row(
    "before, after, note",
    [
        ("a\x01b\x0bc\x0cd", "ab c d", "characters that XML forbids were removed: 3"),
        ("a\ufffeb", "ab", "forbids"),
        ("&#1;&#xFFFE;&#x0;", "", "References to characters that XML forbids were removed: 3"),
        ("a&#11;b", "a b", "References"),
        ("&#99999999999;&#x110000;", "", "References"),
        ("&#55357;&#56832;&#65;", "\U0001f600&#65;", "surrogates were replaced"),
        ("&#55357;&#65;&#56832;", "&#65;", "removed: 2"),
        ("&nbsp;&eacute;&AMP;", "\xa0é&amp;", "Entities of HTML were replaced by their characters: 3"),
        ("&nosuchthing; & &x", "&amp;nosuchthing; &amp; &amp;x", "Bare ampersands were escaped: 3"),
        ("a < b <3 <= << </ 1", "a &lt; b &lt;3 &lt;= &lt;&lt; &lt;/ 1", "less-than signs were escaped: 6"),
        ("a]]>b", "a]]&gt;b", "Ends of CDATA"),
        ("<?xml version='1.0'?>x<?XML ?>", "x", "XML declarations inside the document were removed: 2"),
        ("<!DOCTYPE html>x<!DOCTYPE a [<!ENTITY b 'c'>]>", "x", "document type"),
        ("<a x='1' y='2' x = '3'\nx=\"4\"/>", "<a x='1' y='2'/>", "repeated attributes of an element were removed: 2"),
        ("<!-- a -- b -->", "<!-- a == b -->", "two hyphens"),
    ],
)
def test_damage_is_mended_and_counted(before: str, after: str, note: str):
    text, notes = cleaned(before)
    assert text == after
    assert len(notes) == 1
    assert note.lower() in notes[0].lower()


@each_row(
    "text",
    [
        "<![CDATA[ & < &nbsp; <?xml ?> ]]>",
        "<!-- & < &nbsp; -->",
        "<?php & ?>",
        "&lt;&gt;&amp;&quot;&apos;&#65;&#x42;",
        "<é>ü</é>",
        "<a b='c'/>",
        "<a b='c' d='b=1'/>",
        "<![CDATA[<a b='1' b='1'>]]>",
        "<!-- <a b='1' b='1'> -->",
        "<!-- never closed -- ",
        "<![CDATA[ never closed",
    ],
)
def test_what_is_no_damage_stays(text: str):
    assert cleaned(text) == (text, ())


def _titled(title: str) -> tuple[str | None, tuple[str, ...]]:
    body = page(record(1), record(2, f"<d xmlns='urn:d'><t>{title}</t></d>"), record(3), token="t").encode()
    answer = parse_list(body)
    assert identifiers(answer.slices) == ["1", "2", "3"]
    assert answer.token is not None
    assert answer.token.text == "t"
    return payload(answer.repaired or body, answer.slices[1])[0].text, answer.repairs


@each_row(
    "title, read",
    [
        ("one\x0btwo", "one two"),
        ("&nbsp;x&eacute; & y", "\xa0xé & y"),
        ("p < 0.05", "p < 0.05"),
        ("&#55349;&#56320;", "\U0001d400"),
        ("<?xml version='1.0'?>x", "x"),
    ],
)
def test_text_survives_repair(title: str, read: str):
    text, repairs = _titled(title)
    assert text == read
    assert repairs


def test_text_of_eleven_megabytes_is_read():
    text, repairs = _titled("x" * 11_000_000)
    assert text is not None
    assert (len(text), repairs) == (11_000_000, ())


@each_row(
    "before, after, expected",
    [
        ("\n\n", "", False),
        ("\ufeff ", "\n", False),
        ("", "\n<b>Notice</b>: Undefined index in /var/www/oai.php", True),
        ("Warning: session_start()\n", "", True),
        ("<!-- cache -->", "<!-- 0.1 s -->", False),
    ],
)
def test_what_stands_around_the_document_is_cut_off(before: str, after: str, expected: bool):
    answer = parse_list((before + page(record(1), token="t") + after).encode())
    assert identifiers(answer.slices) == ["1"]
    assert bool(answer.repairs) is expected
