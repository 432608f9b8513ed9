"""Documents that would take too much memory as a whole: read record by record, or refused in a sentence.

The limits are made small here, so that a small page is a large one; `tests/fuzz` measures the true ones.
"""

from xml.parsers import expat

import pytest

from gateway.core import xmlio
from gateway.core.errors import AnswerTooLarge, NotXml
from harvester.fulltext.pages.landing_page import MOST_BYTES, MOST_TAGS, affordable
from harvester.sources.oai_pmh.answers import parse_list
from harvester.sources.resourcesync import documents as resourcesync
from harvester.sources.solr import select as solr
from harvester.xml import document, parsing, slices
from tests.oai_pages import OAI, page, record
from tests.rows import each_row

LIST = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
MANY = [
    record(1, sets=["a", "b"]),
    record(2, "<d:d xmlns:d='urn:d' xsi:x='1'>é &amp; <![CDATA[<x>]]></d:d>"),
    record(3, status="deleted", metadata=""),
    record(4, about="<about><p xmlns='urn:p'/></about>", sets=["a"]),
    *(record(number) for number in range(5, 40)),
]


@pytest.fixture(name="small")
def _small(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make every page of more than a few hundred bytes too heavy to be read as a whole."""
    monkeypatch.setattr(xmlio.memory_of, "__defaults__", (128, 200))
    for module in (parsing, document):
        monkeypatch.setattr(module, "MOST_MEMORY", 1000)
    monkeypatch.setattr(document, "_STEP", 100)
    return monkeypatch


def test_large_page_is_read_record_by_record_as_it_would_be_as_a_whole(monkeypatch: pytest.MonkeyPatch):
    body = page(*MANY, token="next", attributes=' completeListSize="99"').encode()
    whole = parse_list(body)
    monkeypatch.setattr(document, "MOST_MEMORY", 1000)
    monkeypatch.setattr(xmlio.memory_of, "__defaults__", (128, 200))
    monkeypatch.setattr(document, "_STEP", 100)
    monkeypatch.setattr(document, "read", None)
    assert parse_list(body) == whole
    assert len(whole.slices) == 39


def test_large_page_that_breaks_off_is_asked_for_again(small: pytest.MonkeyPatch):
    """Not well-formed is what is repeated; too large would not be."""
    with pytest.raises(NotXml, match="not XML, and too large to be repaired"):
        parse_list(page(*MANY).encode()[:-40])


@each_row(
    "body",
    [
        pytest.param(page(*MANY[:5], "<record/>", *MANY).encode(), id="a record without a header"),
        pytest.param(page(*MANY[:5], "<x/>", *MANY).encode(), id="something between the records"),
        pytest.param(page(*MANY, "<x/><y/>").encode(), id="something behind the records"),
        pytest.param(page(*MANY, "<!-- <metadata> -->").encode(), id="a tag in a comment"),
        pytest.param(page(record(1, "<!-- --><a xmlns='urn:a'/>"), *MANY).encode(), id="a comment in a container"),
        pytest.param(page(*MANY).replace("<metadata>", "<metadata a='1'>").encode(), id="containers with attributes"),
        pytest.param(page(*MANY).replace("ListRecords", "GetRecord").encode(), id="another verb"),
        pytest.param(f"<OAI-PMH xmlns='{OAI}'><x>{page(*MANY)[38:]}</x></OAI-PMH>".encode(), id="deeper"),
        pytest.param(page("<a/>" * 500).encode(), id="no records"),
        pytest.param((page(*MANY)[:-10] + "<x/>" * 2000 + "</OAI-PMH>").encode(), id="much behind the list"),
    ],
)  # fmt: skip
def test_large_page_that_is_not_everyday_is_refused_in_a_sentence(small: pytest.MonkeyPatch, body: bytes):
    small.setattr(document, "_MOST_HELD", 100_000)
    with pytest.raises(AnswerTooLarge, match=r"As a whole it needs about \d+ MiB of memory"):
        parse_list(body)


def test_large_page_with_much_around_its_records_is_refused(small: pytest.MonkeyPatch):
    small.setattr(document, "_MOST_BEFORE", 5)
    with pytest.raises(AnswerTooLarge):
        parse_list(page(*MANY).encode())


def test_page_of_more_records_than_anybody_can_hold_is_refused(small: pytest.MonkeyPatch):
    small.setattr(document, "_MOST_RECORDS", 20)
    with pytest.raises(AnswerTooLarge, match="more than 20 records"):
        parse_list(page(*MANY).encode())


def test_large_page_that_is_not_in_utf_8_is_refused(small: pytest.MonkeyPatch):
    with pytest.raises(AnswerTooLarge, match="To repair it takes about"):
        parse_list(page(*MANY).encode("utf-16"))


def test_a_damaged_page_is_not_repaired_when_one_tag_has_very_many_attributes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "MOST_MEMORY", 10_000_000)

    def damaged(count: int) -> bytes:
        tag = "<d " + " ".join(f'a{number}="1"' for number in range(count)) + ">"
        return page(record("1"), record("2", tag), record("3")).encode()

    assert len(parse_list(damaged(300)).slices) == 3
    with pytest.raises(AnswerTooLarge, match="To repair it takes about"):
        parse_list(damaged(10_000))


def test_document_that_is_no_list_and_too_heavy_is_refused(small: pytest.MonkeyPatch):
    with pytest.raises(AnswerTooLarge, match="more than the 0 MiB that one document may take"):
        document.read(page(*MANY).encode())


def test_payload_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xmlio, "MAX_MEMORY", 1_000_000)
    with pytest.raises(NotXml, match=r"It needs \d+ MiB of memory, more than the 0 MiB"):
        xmlio.parse(b"<a>" + b"<a/>" * 500_000 + b"</a>")


def test_declarations_around_the_records_are_limited():
    """Each of them is looked for in each record."""
    names = "".join(f' xmlns:p{number}="urn:p"' for number in range(300))
    for body in (page(record()), page(record(), "<!-- -->")):
        with pytest.raises(AnswerTooLarge, match=r"30. namespaces around its records"):
            parse_list(body.replace("<ListRecords", f"<ListRecords{names}").encode())


def test_texts_and_tags_that_are_remembered_do_not_grow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(slices, "_MOST_TAGS", 2)
    entries = [record(number, f"<a b='{number}' xmlns='urn:a'/>", sets=[f"s{number}"]) for number in range(9)]
    assert [slice_.sets for slice_ in parse_list(page(*entries).encode()).slices] == [
        (f"s{number}",) for number in range(9)
    ]


def test_document_in_an_encoding_that_nobody_knows_is_no_outline():
    with pytest.raises(parsing.Broken, match="cannot be decoded"):
        parsing.feed(expat.ParserCreate(), b'<?xml version="1.0" encoding="shift_jis"?><a/>')


def test_tag_without_end_is_no_outline(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parsing, "_STEP", 10)
    monkeypatch.setattr(parsing, "_MOST_IN_TAG", 50)
    with pytest.raises(parsing.Broken, match="without end"):
        parsing.outline(b"<a " + b"b" * 100 + b"='c'/>", 1)
    assert parsing.outline(b"<a>" + b"b" * 500 + b"</a>", 1).name == "a"


@each_row(
    "inside, sentence",
    [
        ("<url><" + "a" * 1_100_000, "a tag or a comment without end"),
        ("<!--" + "a" * 1_100_000, "a tag or a comment without end"),
        ("<a>" * 30, "nested deeper than 20"),
        ("<url>" + '<rs:ln rel="a" href="b"/>' * 10_001, "more than 10000 links in one place"),
        ("".join(f"<a{number}/>" for number in range(20_000)), "10000 different names"),
    ],
)
def test_list_of_resourcesync_that_would_fill_the_memory_is_refused(inside: str, sentence: str):
    with pytest.raises(NotXml, match=sentence):
        list(resourcesync.read(f"<urlset {LIST}>{inside}".encode()))


def test_json_of_a_million_empty_objects_is_refused():
    """5 MB of them took 900 MiB."""
    body = b'{"response": {"numFound": 1, "docs": [' + b"{}," * 600_000 + b"{}]}}"
    with pytest.raises(AnswerTooLarge, match="The JSON document of 1800043 bytes needs about"):
        solr.parse(body)


def test_page_of_comments_alone_is_read_as_far_as_anybody_can_afford():
    """50 MB of comments took 3 GB."""
    assert len(affordable(b"<!-- -->" * 30_000)) == 8 * MOST_TAGS
    assert len(affordable(b"a" * (MOST_BYTES + 1))) == MOST_BYTES
