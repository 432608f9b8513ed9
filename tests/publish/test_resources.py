"""What lists of resources are made of is stored with each record: length, hash, and the files to which it refers."""

from __future__ import annotations

from hashlib import sha256

from gateway.descriptions import describe, metadata_of
from gateway.formats import oai_didl
from gateway.indexing import read_resource
from gateway.model import Content, FileLink, FileOrigin, Selection, Work
from gateway.publish_files import file_all
from gateway.rebuild import rebuild
from tests.publish.desk import Desk, Sent, dc, pdf

NAMED = "http://laro.example.org/1.pdf"
FOUND = FileLink("https://a.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "x", 12, "ab" * 32)


def contents(desk: Desk) -> list[Content]:
    with desk.store.view() as view:
        return [content for _, content in view.contents(0, 99)]


def assert_exact(desk: Desk) -> None:
    """Compare what is stored beside the records with the records themselves."""
    for prefix in ("oai_dc", "oai_didl"):
        with desk.store.view() as view:
            resources = view.resources(Selection(prefix), 0, 99, 99)
            changes = view.resource_changes(Selection(prefix), (0, 0), 99)
        for resource in resources:
            record = desk.record(resource.identifier.rpartition("/")[2], prefix)
            metadata = metadata_of(record.content)
            assert (resource.length, resource.sha256) == (len(metadata), sha256(metadata).digest())
            assert resource.datestamp == record.datestamp
            (last,) = [change for change in changes if change.identifier == resource.identifier][-1:]
            assert (last.length, last.sha256, last.datestamp) == (*resource[3:], resource.datestamp)
            if prefix == "oai_didl":
                read, listed = read_resource(prefix, record.content)
                assert read == metadata
                assert listed is not None
                assert {content.url for content in listed} == {file.url for file in describe(record.content).work.files}


def test_each_publication_stores_what_its_records_are(desk: Desk) -> None:
    desk.sent(Sent("1", dc("A title", pdf())), Sent("2"))
    assert_exact(desk)
    assert [content.url for content in contents(desk)] == [NAMED]
    desk.now += 1
    file_all(desk.store, desk.inbox, "laro", ("2",), lambda _state: (FOUND,))
    assert_exact(desk)
    assert contents(desk)[1] == Content(FOUND.url, "application/pdf", 12, "ab" * 32)
    desk.sent(Sent("1", dc("Another title")))
    assert_exact(desk)
    assert [content.url for content in contents(desk)] == [FOUND.url]
    rebuild(desk.store, desk.inbox)
    assert_exact(desk)
    desk.sent(Sent("2", None))
    assert contents(desk) == []


def test_what_a_source_states_wrongly_of_a_file_is_not_stored() -> None:
    files = [
        FileLink("https://a.example.org/1", size=-1, digests=(("sha256", "xyz"),)),
        FileLink("https://a.example.org/2", size=1 << 70, digests=(("sha256", "AB" * 32),)),
        FileLink("no address"),
    ]
    assert list(oai_didl.contents(Work(files=tuple(files)))) == [
        Content("https://a.example.org/1", "application/octet-stream"),
        Content("https://a.example.org/2", "application/octet-stream", sha256="ab" * 32),
    ]
