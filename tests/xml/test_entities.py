"""Entities that a document declares itself: resolved within limits, or told."""

from harvester.xml.repair import resolved
from tests.rows import each_row


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
