"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

import json

import pytest

from gateway import related
from gateway.errors import AnswerTooLarge, NotSolr, NotXml, UnusableRecord, unforeseen
from harvester.mirror.components import Component, components
from harvester.mirror.verifying import Bytes, Fate, verdict
from harvester.sources import Options
from harvester.sources._asking import asked
from harvester.verification.bytes import mime_type
from harvester.wire import crossref_works, files, friends, landing_page, leads, links, robots, solr
from harvester.wire.document import read
from harvester.wire.http import Fetched, settled_date
from harvester.wire.markup import spans
from harvester.wire.oai_pmh import parse_list
from harvester.wire.repair import legal_references
from harvester.wire.urls import host_of
from tests.wire.pages import page, record

ENTRY = (
    '<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
    '<loc>http://x.org/1.pdf</loc><rs:ln rel="describes" href="http://x.org/2.pdf" length="{length}" />'
    '<rs:ln rel="via" href="{via}"/></url>'
)


@pytest.mark.parametrize("length", ["²", "9" * 5000, "٣", "-1", "1e3", ""])
def test_length_that_is_no_number_is_not_known(length: str):
    """`isdigit` is true of a superscript two, and `int` of it raises ValueError."""
    (file,) = related.read([ENTRY.format(length=length, via="").encode()]).files
    assert file.size is None


def test_length_that_is_a_number_is_known():
    (file,) = related.read([ENTRY.format(length="4711", via="").encode()]).files
    assert file.size == 4711


def test_origin_at_an_address_that_has_no_host_is_none():
    assert related.republished([ENTRY.format(length="", via="http://a\u2100b/x").encode()], "urn:x") is None


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 16, "²", "-1"])
def test_number_of_documents_that_nobody_can_mean_is_refused(number: str):
    with pytest.raises(NotSolr, match="documents were found"):
        solr.parse(f'<response><result numFound="{number}"/></response>'.encode())


def test_solr_document_that_is_nested_too_deep_is_refused():
    deep = '{"a":' * 900 + "1" + "}" * 900
    body = '{"response": {"numFound": 1, "docs": [' + deep + "]}}"
    with pytest.raises((NotSolr, NotXml), match=r"deep|recursion"):
        solr.parse(body.encode())


def test_cursor_mark_with_half_a_character_is_made_legal():
    body = {"response": {"numFound": 0, "docs": []}, "nextCursorMark": "a\ud800b"}
    assert solr.parse(json.dumps(body).encode()).next_cursor_mark == "ab"


def test_reference_to_half_a_character_in_broken_cdata_spoils_its_record_alone():
    """libxml2's recovery made bytes of it that are no UTF-8: UnicodeDecodeError, and the run failed."""
    bad = "<record><header><identifier>oai:x:2</identifier></header><metadata><![CDATA[&#xD800;</metadata></record>"
    answer = parse_list(page(record(1), bad, record(3)).encode())
    assert [each.identifier for each in answer.slices if not each.problem] == ["oai:x:1", "oai:x:3"]


def test_page_that_is_one_reference_to_half_a_character_is_read_as_unusable_records():
    body = b'<OAI-PMH s=""><ListRecords><![CDATA[<record><header &#xD800;</metadata></record></OAI-PMH>'
    assert all(each.problem for each in parse_list(body).slices)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("&#xD800;a", "\ufffda"), ("&#ab;", "&#ab;"), ("&#65;&#0;&#x110000;", "&#65;\ufffd\ufffd"), ("&#xz;", "&#xz;")],
)
def test_references_that_no_character_has_are_replaced(text: str, kept: str):
    assert legal_references(text) == kept


def test_what_nobody_expected_is_an_answer_that_cannot_be_read():
    """A fault of ours in one page sends the list down its ladder, around the page; it does not end the run."""

    def parse(_: bytes, __: str) -> None:
        raise ValueError("\ud800")

    with pytest.raises(NotXml, match=r"This program has a fault: ValueError at test_poison\.py:\d+ \(.ud800\)"):
        asked(Options("s", "http://x.org/"), lambda each: Fetched(each.url, 200, (), b"", 0), "http://x.org/", parse)


def test_fault_of_a_library_is_told_too():
    assert unforeseen(ValueError("x")) == (
        "This program has a fault: ValueError (x). Please report it with this record."
    )


def test_fault_in_one_complex_object_is_told_of_that_object(monkeypatch: pytest.MonkeyPatch):
    def broken(_: object) -> None:
        raise ValueError("x")

    monkeypatch.setattr("harvester.mirror.components._readers", lambda: {("urn:x", "a"): broken})
    with pytest.raises(UnusableRecord, match="This program has a fault: ValueError"):
        components(b'<a xmlns="urn:x"/>')


def test_friend_whose_address_has_half_a_character_is_read():
    assert (
        friends.parse(b"<BaseURLs><baseURL>http://x.org/&#xD800;</baseURL></BaseURLs>")[0][0] == "http://x.org/\ufffd"
    )


def test_friends_in_a_root_with_a_name_that_is_none_are_read():
    """libxml2's recovery lets such a name through; lxml's QName raises ValueError for it."""
    assert friends.parse(b"<z:a:b><baseURL>http://x.org/</baseURL></z:a:b>") == ()


def test_dump_whose_list_has_a_prefix_that_is_no_utf_8_is_read():
    part = b'<list metadataPrefix="\xc1">\n<record xmlns="http://www.openarchives.org/OAI/2.0/"><header></header></record>\n'
    assert files.cut_dump(part, "", is_last=True)[0].prefix == "\ufffd"


def test_page_that_pythons_reader_gives_up_at_tells_what_came_before():
    body = b'<link rel="resourcesync" href="/a"><![OCTYPE b>'
    assert leads.leads_of_page(body, "http://x.org/") == ("http://x.org/a",)


# --- what never ended ---------------------------------------------------------------------------------------------


def test_file_that_begins_with_many_comments_is_judged_at_once():
    """1 kB took for ever, with the interpreter's lock held."""
    body = b"<!---->" * 146 + b"x"
    assert verdict(Component(mime_type="application/pdf"), Bytes(len(body), {}, body, body)).fate is Fate.WRONG_TYPE
    assert mime_type(body * 60) == "text/plain"


@pytest.mark.parametrize("beginning", ["<!--", "<?a ", "<?", "<", "<!-- a -->", "<?a ?>"])
def test_document_whose_beginning_never_ends_is_refused_at_once(beginning: str):
    """`<!--` 250,000 times took 20 minutes; the answer is a sentence now."""
    with pytest.raises(Exception, match="answer"):
        read((beginning * 50_000).encode())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a<!-- b --><?c d?>e", ["a", "", "e"]),
        ("a<!-- b", ["a<!-- b"]),
        ("<? " + "x" * 3000 + "?>b<!---->c", ["<? " + "x" * 3000 + "?>b", "c"]),
        ("<!--<?a-->b?>", ["", "b?>"]),
    ],
)
def test_what_stands_outside_comments_and_instructions(text: str, parts: list[str]):
    assert [text[start:stop] for start, stop in spans(text)] == parts


# --- addresses that are none --------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["http://[", "http://a\u2100b/", "", "mailto:x"])
def test_address_without_a_host_is_read_as_one(url: str):
    page = landing_page.read(b'<a href="x.pdf">PDF</a><link rel="item" href="y">', url)
    assert isinstance(page, landing_page.Page)
    assert host_of(url) == ""
    assert robots.robots_url(url).endswith("/robots.txt")
    assert links.from_header((f"<{url}>; rel=item",), "http://x.org/") is not None


def test_page_that_names_an_impossible_host_is_read():
    body = "<a href='http://a\u2100b/x.pdf'>PDF</a><base href='http://['><meta name=citation_pdf_url content='//['>"
    landing_page.read(body.encode(), "http://x.org/1")


def test_delay_that_is_no_number_is_none():
    rules = robots.Rules("robots.txt", b"User-agent: *\nCrawl-delay: nan\n")
    assert rules.delay("http://x.org/") == 0
    assert rules.delay("http://[") == 0


@pytest.mark.parametrize("date", ["Mon, 01 Jan 99999999999999999 00:00:00 GMT", "1", "Mon, 1 Jan 2024 00:00 +99999999"])
def test_date_of_a_header_that_is_none_settles_nothing(date: str):
    assert settled_date(Fetched("u", 200, (("Last-Modified", date), ("Date", date)), b"", 0)) == ""


HEAVY = b"[" + b"[]," * 5_000_000 + b"[]]"


def test_link_set_that_would_fill_the_memory_has_no_links():
    assert links.from_json(HEAVY, "http://example.org/") == ()


def test_answer_about_an_agency_that_would_fill_the_memory_is_refused():
    with pytest.raises(AnswerTooLarge, match="MiB of memory"):
        crossref_works.read_agency(Fetched("https://doi.org/ra/10.1", 200, (), HEAVY, 0))
