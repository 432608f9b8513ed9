"""Cleaning: what was wrong with real answers, and what is made of it. Each test names the damage."""

from harvester.sources.oai_pmh.answers import parse_identify, parse_list
from harvester.xml.namespaces import mended
from harvester.xml.recovery import missing
from harvester.xml.repair import cleaned, resolved
from tests.oai_pages import DC, OAI, identifiers, page, payload, record
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


def _text(declarations: str, text: str) -> str:
    return resolved(f"<!DOCTYPE a [{declarations}]>{text}").text.partition("]>")[2]


@each_row(
    "declarations, text, made",
    [
        ('<!ENTITY uni "Universität">', "an der &uni; und &uni;", "an der Universität und Universität"),
        ("<!ENTITY uni 'A \"good\" one'>", "&uni;", 'A "good" one'),
        ('<!ENTITY a "x"><!ENTITY b "[&a;&a;]">', "&b;", "[xx]"),
        ('<!ENTITY a "first"><!ENTITY a "second">', "&a;", "first"),
        ('<!ENTITY amp "other"><!ENTITY a "&amp;">', "&amp;&a;", "&amp;&amp;"),
        ('<!ENTITY a "&#65;&#x42;&#0;&#xFFFFFF;">', "&a;", "AB&#0;&#xFFFFFF;"),
        ('<!ENTITY a "<b>x</b>">', "&a;", "<b>x</b>"),
        ('<!ENTITY a "">', "[&a;]", "[]"),
        ('<!ENTITY a "x">', "<!-- &a; --><![CDATA[&a;]]>&b;&a;", "<!-- &a; --><![CDATA[&a;]]>&b;x"),
        ('<!-- <!ENTITY a "x"> --><!ENTITY % b "y">', "&a;&b;", "&a;&b;"),
    ],
)
def test_a_reference_is_replaced_by_what_the_document_declares(declarations: str, text: str, made: str):
    assert _text(declarations, text) == made


@each_row(
    "declarations, why",
    [
        ('<!ENTITY a SYSTEM "file:///etc/passwd">', "it is an external entity"),
        ('<!ENTITY a PUBLIC "-//x" "http://127.0.0.1/">', "it is an external entity"),
        ('<!ENTITY a "&a;">', "it is nested more than 10 deep, or in itself"),
        ('<!ENTITY a "&b;"><!ENTITY b "&a;">', "it is nested more than 10 deep, or in itself"),
        (f'<!ENTITY b "{"x" * 6000}"><!ENTITY a "&b;&b;">', "it stands for more than 10000 characters"),
    ],
)
def test_what_cannot_be_resolved_stays_and_is_reported(declarations: str, why: str):
    resolution = resolved(f"<!DOCTYPE x [{declarations}]><x>&a;&a;</x>")
    assert resolution.text.endswith("<x>&a;&a;</x>")
    assert resolution.losses == (f"References to the entity 'a' are left as they are, because {why}: 2.",)
    assert resolution.notes == ()


def test_all_references_together_have_a_limit():
    resolution = resolved(f'<!ENTITY a "{"x" * 9000}">{"&a;" * 200}')
    assert resolution.notes == ("Entities that the document declares were replaced: 111.",)
    assert resolution.losses[0].endswith("all together stand for more than 1000000 characters: 89.")


@each_row(
    "before, after",
    [
        ("<a><b>x</a>", "<a><b>x</b></a>"),
        ("<a b='1'  c=\"2\"/>", '<a c="2" b="1"></a>'),
        ("<a b='&quot;&#233;'>&lt; y</a>", '<a b="&quot;é">&lt;\ny</a>'),
        ("<a><![CDATA[<b> & c]]></a>", "<a>&lt;b&gt; &amp; c</a>"),
        ("<a><!-- <c/> --><?p i?>x</a>", "<a>x</a>"),
        ("<a>x", '<a xmlns="urn:a" xmlns:b="urn:b">x</a>'),
    ],
)
def test_what_is_only_written_in_another_way_is_there(before: str, after: str):
    assert missing(before, after) == ""


@each_row(
    "before, after, expected",
    [
        ("<a><b/>x<b/></a>", "<a><b/>x</a>", "1 of 3 elements were lost"),
        ("<a b='1' c='2'/>", "<a b='1'/>", "1 of 2 attributes were lost"),
        ("<a b='1'/>", "<a b='2'/>", "1 of 1 attributes were lost"),
        ("<a b='1'y'>x</a>", "<a b='1'>x</a>", "2 of 3 characters were lost"),
        ("<a>x &y z</a>", "<a>x  z</a>", "2 of 4 characters were lost"),
        ("<a>x</a><b", "<a>x</a>", "2 of 3 characters were lost"),
        ("<a>xy</a>", "<a>yx</a>", "its text is no longer the same"),
        ("<a><b c='d'/>x</a>", "", "2 of 2 elements and 1 of 1 attributes and 1 of 1 characters were lost"),
    ],
)
def test_what_is_not_there_any_more_is_counted(before: str, after: str, expected: str):
    assert missing(before, after) == expected


def _mended(metadata: str, root: str = f'xmlns="{OAI}"') -> tuple[bytes, tuple[str, ...]]:
    body = page(record(1), record(2, metadata), record(3), root=root).encode()
    answer = parse_list(body)
    text = answer.repaired or body
    assert identifiers(answer.slices) == ["1", "2", "3"]
    assert not any(slice_.problem for slice_ in answer.slices)
    assert [text[slice_.start : slice_.stop] for slice_ in answer.slices[::2]] == [
        DC.format("Work 1").encode(),
        DC.format("Work 3").encode(),
    ]
    payload(text, answer.slices[1])
    return text[answer.slices[1].start : answer.slices[1].stop], answer.repairs


def test_address_with_a_space_is_mended_where_it_stands():
    """Seen in ADS' ecrs: `xmlns:xsi="http://ww w.w3.org/…"` makes libxml2 refuse the whole page."""
    markup, repairs = _mended("<d xmlns='urn:d' xmlns:xsi='http://ww w.w3.org/2001/XMLSchema-instance' xsi:a='1'/>")
    assert b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' in markup
    wrong = "Record 2 of the page: the namespace 'http://ww w.w3.org/2001/XMLSchema-instance' is not a URI"
    assert repairs == (f"{wrong}; it was replaced by http://www.w3.org/2001/XMLSchema-instance.",)


@each_row(
    "uri, made",
    [
        ("http://é.org/", b"http://%C3%A9.org/"),
        ("http://a/{x}&amp;", b"http://a/%7Bx%7D&amp;"),
        ("http://[a", b"http://%5Ba"),
        ("http://a/%zz", b"urn:x-undeclared:"),
    ],
)
def test_address_that_is_no_uri_is_made_one(uri: str, made: bytes):
    markup, _ = _mended(f"<d xmlns='{uri}'/>")
    assert b'xmlns="' + made in markup


def test_prefix_without_an_address_gets_one():
    markup, _ = _mended("<z:d xmlns:z=''/>")
    assert b'xmlns:z="urn:x-undeclared:z"' in markup


def test_prefix_declared_nowhere_gets_what_it_is_known_to_mean():
    markup, repairs = _mended("<MD><gco:a/><gco:b xlink:href='x'/></MD>")
    assert markup.startswith(b"<MD ")
    assert b'xmlns:gco="http://www.isotc211.org/2005/gco"' in markup
    assert b'xmlns:xlink="http://www.w3.org/1999/xlink"' in markup
    assert len(repairs) == 2


def test_unknown_prefix_gets_a_name_of_its_own():
    markup, _ = _mended("<x:d><x:e/></x:d>")
    assert markup == b'<x:d xmlns:x="urn:x-undeclared:x"><x:e/></x:d>'


def test_declaration_ends_with_the_element_that_makes_it():
    markup, repairs = _mended("<d><a xmlns:x='urn:x'><x:b/></a><x:c/></d>")
    assert b'<d xmlns:x="urn:x-undeclared:x">' in markup
    assert len(repairs) == 1


def test_prefix_missing_on_the_envelope_is_declared_there():
    body = page(record(1), root=f'xmlns="{OAI}" xsi:schemaLocation="a b"').encode()
    answer = parse_list(body)
    assert identifiers(answer.slices) == ["1"]
    assert answer.repairs[0].startswith("Around the records: the prefix 'xsi'")


def test_whole_document_without_a_prefix_for_its_envelope_is_read():
    text = page(record(1), root="").replace("</", "</oai:").replace("<", "<oai:").replace("<oai:/oai:", "</oai:")
    text = text.replace("<oai:?", "<?").replace(":oai_dc:", ":").replace("oai:dc:", "")
    answer = parse_list(text.replace("<oai:dc ", "<d ").replace("</oai:dc>", "</d>").encode())
    assert identifiers(answer.slices) == ["1"]
    assert "the prefix 'oai' is not declared" in answer.repairs[0]


def test_description_is_mended_too():
    body = (
        f'<OAI-PMH xmlns="{OAI}"><responseDate/><request/><Identify>'
        "<description><e:x/></description></Identify></OAI-PMH>"
    )
    (description,) = parse_identify(body.encode()).descriptions
    assert b'xmlns:e="urn:x-undeclared:e"' in description


def test_nothing_is_mended_where_nothing_is_wrong():
    body = page(record(1, about="<about><a><b/></a></about>")).encode()
    assert mended(body) == (body, ())


def test_value_that_looks_like_a_declaration_is_no_declaration():
    markup, _ = mended(b"""<a b=" xmlns:p='w w'" xmlns:p='w w'/>""")
    assert markup == b"""<a b=" xmlns:p='w w'" xmlns:p="ww"/>"""
