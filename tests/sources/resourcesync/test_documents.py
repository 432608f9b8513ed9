"""ResourceSync documents: what they say, however they say it; what is none; what a walk is to do with them."""

import gzip
from functools import partial

import pytest

from gateway.core.errors import AnswerTooLarge, NotResourceSync, NotXml, StoreUnwritable
from harvester.sources.resourcesync.documents import Document, read
from harvester.sources.resourcesync.entries import Entry, Head, Link
from harvester.sources.resourcesync.plan import Item, Plan, Role, role_of
from tests.growth import peak_bytes
from tests.rows import each_row

MD5 = "1584abdf8ebdc9802ac0c6a7402c03b6"
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'


def document(content: str = "", root: str = "urlset", namespaces: str = NAMESPACES) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {namespaces}>{content}</{root}>'.encode()


def test_a_document_says_what_it_is_and_then_its_entries():
    parsed_document = read(
        document(
            '<rs:ln rel="up" href="http://e.org/caps.xml"/><rs:md capability="changelist" from="2013-01-03T00:00:00Z"'
            ' until="2013-01-04T00:00:00Z"/><url><loc> http://e.org/1 </loc><lastmod>2013-01-02</lastmod>'
            f'<rs:md change="updated" datetime="2013-01-03T18:00:00Z" hash="md5:{MD5}" length="8876" type="text/html"'
            ' path="/a" encoding="gzip"/><rs:ln rel="duplicate" pri="2" href="http://m.org/2"/>'
            '<rs:ln rel="duplicate" pri="1" href="http://m.org/1" modified="2013" length="1" type="a/b" path="/p"/>'
            "</url>"
        )
    )
    up = Link("up", "http://e.org/caps.xml")
    assert parsed_document.head == Head(
        False, "changelist", from_="2013-01-03T00:00:00Z", until="2013-01-04T00:00:00Z", links=(up,)
    )
    assert parsed_document.head.related("up") == (up,)
    assert not parsed_document.head.is_archive
    first, second = (
        Link("duplicate", "http://m.org/1", "a/b", "2013", 1, (), "/p", 1),
        Link("duplicate", "http://m.org/2", priority=2),
    )
    (entry,) = parsed_document
    assert entry == Entry(
        "http://e.org/1",
        "2013-01-02",
        "updated",
        "2013-01-03T18:00:00Z",
        type="text/html",
        length=8876,
        digests=(("md5", MD5),),
        path="/a",
        encoding="gzip",
        links=(second, first),
    )
    assert entry.related("duplicate") == (first, second)
    assert entry.changed == "2013-01-03T18:00:00Z"
    assert parsed_document.notes == ()


def test_what_is_not_as_it_should_be_is_reported():
    parsed_document = read(
        document(
            '<url><lastmod>2013</lastmod></url><rs:md capability="resourcelist"/><rs:md capability="changelist"/>'
            '<url><loc>http://[e/x</loc><rs:ln rel="up"/><rs:md length="many" pri="0"/></url>'
        ),
        "http://e.org/",
    )
    (entry,) = parsed_document
    assert (entry.loc, entry.length) == ("http://[e/x", None)  # what cannot be made whole stays as it is
    assert parsed_document.head.capability == "resourcelist"
    assert parsed_document.notes == (
        "An entry without an address was left out.",
        "The document has its rs:md after the first entry; it belongs before it.",
        "The document has several rs:md; the first one counts.",
        "A link without an address was left out.",
    )


@each_row(
    "body, error, words",
    [
        (b"", NotXml, "not well-formed, or truncated"),
        (document("<url><loc>http://e.org/</loc></url>")[:-9], NotXml, "truncated"),
        (b"<html><body/></html>", NotResourceSync, "its root is 'html'"),
        (b'<!DOCTYPE urlset [<!ENTITY a "b">]><urlset/>', NotXml, "document type declaration"),
        (b'<?xml version="1.0" encoding="klingon"?><urlset/>', NotXml, "klingon"),
        (document(f"<url><loc>{'a' * 200_000}</loc></url>"), NotXml, "without end"),
        (document(f"<url><loc>{'&amp;' * 200_000}</loc></url>"), NotXml, "without end"),
        (gzip.compress(document(), mtime=0)[:40], NotXml, "truncated"),
        (b"\x1f\x8b" + bytes(80), NotXml, "compressed document is damaged"),
    ],
)
def test_what_is_no_such_document_is_told_in_words_of_ours(body, error, words):
    with pytest.raises(error, match=words):
        list(read(body))


def test_a_compressed_document_is_read_and_may_not_grow_without_end():
    body = gzip.compress(document("<url><loc>http://e.org/</loc></url>" * 4_000))
    assert len(list(read(body))) == 4_000
    with pytest.raises(AnswerTooLarge, match="more than 100000 bytes"):
        list(Document([body], most_bytes=100_000))


@pytest.mark.slow
def test_many_entries_cost_no_more_memory_than_few():
    entry = b'<url><loc>http://e.org/%d</loc><rs:md hash="md5:1584abdf8ebdc9802ac0c6a7402c03b6" length="8876"/></url>'
    ends = document("|").split(b"|")

    def parts(count):
        yield ends[0]
        for number in range(0, count, 100):
            yield b"".join(entry % index for index in range(number, number + 100))
        yield ends[1]

    def count_all(count):
        assert sum(1 for _ in Document(parts(count))) == count

    few, many = (peak_bytes(partial(count_all, count)) for count in (2_500, 10_000))
    assert many < 1.5 * few


DESCRIBES, DESCRIBED = Link("describes", "f"), Link("describedby", "m")


def test_items_come_in_the_order_of_addresses_with_their_content():
    content = Entry("f", links=(DESCRIBED,))
    with Plan() as plan:
        for entry in (Entry("z", change="deleted"), content, Entry("a"), Entry("g.pdf")):
            plan.add(entry)
        assert [item.uri for item in plan.items()] == ["a", "m", "z"]
        assert [item.uri for item in plan.items("a")] == ["m", "z"]
        assert (plan.size(), plan.size("a"), plan.undescribed()) == (3, 2, 1)
        assert next(plan.items("a")) == Item("m", Role.METADATA, None, (content,))
        assert [plan.has_item(uri) for uri in ("a", "m", "z", "f", "x")] == [True, True, False, False, False]
        plan.tick("a")
        assert list(plan.unticked()) == ["m"]


@each_row(
    "entry, role",
    [
        (Entry("a"), Role.METADATA),
        (Entry("a", type="application/mods+xml; charset=utf-8"), Role.METADATA),
        (Entry("a.xml"), Role.METADATA),
        (Entry("a.pdf"), Role.CONTENT),
        (Entry("a.pdf", type="text/xml"), Role.METADATA),
        (Entry("a", type="application/xhtml+xml"), Role.CONTENT),
        (Entry("a.html"), Role.CONTENT),
        (Entry("a.pdf", links=(DESCRIBES,)), Role.METADATA),
        (Entry("a.xml", links=(DESCRIBED,)), Role.CONTENT),
        (Entry("a.xml", change="deleted", links=(DESCRIBES,)), Role.DELETED),
    ],
)
def test_what_a_resource_is_follows_from_its_links_then_its_type_then_its_name(entry, role):
    assert role_of(entry) is role


def test_a_disk_that_is_full_is_told_in_words_of_ours():
    def fill():
        with Plan() as plan:
            plan._database.execute("PRAGMA max_page_count = 20")
            for number in range(1000):
                plan.add(Entry(f"{number}" * 100))

    with pytest.raises(StoreUnwritable, match="need more space for temporary files: database or disk is full"):
        fill()
