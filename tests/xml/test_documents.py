"""What is no OAI-PMH answer, and what would do harm."""

from xml.parsers import expat

import pytest

from gateway.core.errors import NotOaiPmh, NotXml
from harvester.sources.oai_pmh.answers import parse_identify, parse_list
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
