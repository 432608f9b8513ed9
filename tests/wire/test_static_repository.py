"""Static Repositories: where their records lie, and what is not allowed in them."""

from __future__ import annotations

import pytest

from gateway.errors import NotStaticRepository, NotXml
from harvester.wire.static_repository import beginning_of, cut, faults_in, looks_like_one, oddities_in, read
from tests.conftest import SHARED
from tests.sources.static import document, record

OFFICIAL = SHARED / "data" / "static" / "zimeon+www.openarchives.org"
OLAC = SHARED / "data" / "static" / "olac+olac"


def _cut(body, prefix="oai_dc", first=0, last=99):
    found = read(body)
    start, stop, slices = cut(found, found.records(prefix), first, last)
    return found.text[start:stop], slices


def test_a_document_says_who_it_is_and_what_it_has():
    found = read(document(record(1), record(2)))
    assert (found.identify.repository_name, found.identify.granularity) == ("Small", "YYYY-MM-DD")
    assert [each.metadata_prefix for each in found.formats] == ["oai_dc"]
    assert [(each.metadata_prefix, len(each.places)) for each in found.lists] == [("oai_dc", 2)]
    assert (found.faults, found.repairs, found.records("mods")) == ((), (), None)


def test_records_are_cut_some_at_a_time_and_stand_alone():
    body = document(record(1), record(2), record(3))
    part, (second,) = _cut(body, first=1, last=2)
    assert (second.identifier, second.datestamp) == ("oai:small:2", "2002-09-19")
    assert part.startswith(b"<oai:record>")
    assert part[second.start : second.stop].startswith(b"<oai_dc:dc>")
    assert dict(second.declarations)["dc"] == "http://purl.org/dc/elements/1.1/"
    assert _cut(body, first=9) == (b"", ())


def test_abouts_are_cut_with_their_record():
    part, (only,) = _cut(document(record(1, about="<oai:about><x:y xmlns:x='urn:x'/></oai:about>")))
    assert [part[start:stop] for start, stop in only.abouts] == [b"<x:y xmlns:x='urn:x'/>"]


def test_another_encoding_is_kept_as_utf_8():
    body = document(record("é")).decode().replace("UTF-8", "ISO-8859-1").encode("latin-1")
    found = read(body)
    assert "kept as UTF-8" in found.repairs[0]
    assert cut(found, found.lists[0], 0, 1)[2][0].identifier == "oai:small:é"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<oai:deletedRecord>no", "<oai:deletedRecord>transient", "deletedRecord is 'transient'"),
        ("YYYY-MM-DD<", "YYYY-MM-DDThh:mm:ssZ<", "instead of days"),
        ("<oai:protocolVersion>2.0", "<oai:protocolVersion>1.1", "instead of 2.0"),
        ("</Identify>", "<oai:compression>gzip</oai:compression></Identify>", "compression 'gzip'"),
        ('<ListRecords metadataPrefix="oai_dc"', '<ListRecords metadataPrefix="x"', "none of its formats"),
        ("</Repository>", '<ListRecords metadataPrefix="oai_dc"/></Repository>', "'oai_dc' 2 times"),
        ("</ListRecords>", "<oai:resumptionToken/></ListRecords>", "holds a resumptionToken"),
    ],
)
def test_what_a_static_repository_may_not_say_is_a_fault(old, new, told):
    (fault,) = read(document(record(1)).decode().replace(old, new).encode()).faults
    assert told in fault


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<oai:header>", '<oai:header status="deleted">', "are deleted"),
        ("</oai:header>", "<oai:setSpec>a</oai:setSpec></oai:header>", "are in sets"),
        ("oai:metadata", "oai:about", "cannot be used"),
    ],
)
def test_what_records_may_not_be_is_a_fault(old, new, told):
    _, slices = _cut(document(record(1)).decode().replace(old, new).encode())
    (fault,) = faults_in(slices)
    assert told in fault
    assert "oai:small:1 (1)" in fault


def test_what_real_ones_do_is_odd():
    _, slices = _cut(document(record(1), record(1, datestamp="2002-09-19T00:00:00Z")))
    assert [*faults_in(slices)] == []
    assert [*oddities_in(slices)] == [
        "Records have no day as datestamp: oai:small:1 (1).",
        "Identifiers stand there twice: oai:small:1 (1).",
    ]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html/>", NotStaticRepository),
        (b'<Repository xmlns="urn:x"/>', NotStaticRepository),
        (document()[:-20], NotXml),
        (document().replace(b"ListMetadataFormats", b"Formats"), NotStaticRepository),
        (b"<!DOCTYPE Repository>" + document().partition(b"?>")[2], NotXml),
    ],
)
def test_anything_else_is_none(body, error):
    with pytest.raises(error):
        read(body)


def test_the_beginning_is_a_document_too():
    body = document(record(1))
    beginning = beginning_of(body[: body.index(b"<oai:record>")])
    assert read(beginning).formats == read(body).formats
    assert read(beginning).lists == ()
    assert beginning_of(body[:300]) is None
    assert (looks_like_one(body), looks_like_one(b"<Repository/>")) == (True, False)


@pytest.mark.slow
@pytest.mark.needs("../shared/data/static")
@pytest.mark.parametrize("file", sorted(OFFICIAL.glob("*.xml")), ids=lambda file: file.stem)
def test_official_documents_are_accepted_and_bad_ones_are_not(file):
    if "exIdentify" in file.name:
        with pytest.raises(NotStaticRepository):
            read(file.read_bytes())
        return
    found = read(file.read_bytes())
    faults = [*found.faults, *(fault for each in found.lists for fault in faults_in(cut(found, each, 0, 99)[2]))]
    assert bool(faults) == ("bad" in file.name)
    assert [(each.metadata_prefix, len(each.places)) for each in found.lists] == [("oai_dc", 2), ("oai_rfc1807", 1)]


@pytest.mark.slow
@pytest.mark.needs("../shared/data/static")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("default_project__repository.xml", 23),
        ("multi-classify__test.xml", 479),
        ("static-repository-20030307.xml", 1),
        ("static-repository-20030328.xml", 1),
        ("static-repository-20031101.xml", 1),
        ("static-repository-old.xml", 1),
        ("static-repository.e119ac.xml", 2),
        ("static-repository.xml", 2),
        ("web__test-archive.xml", 2),
        ("worldcat__wcrepository.xml", 2422),
    ],
)
def test_real_documents_are_read_whole(name, count):
    found = read((OLAC / name).read_bytes())
    (records,) = found.lists
    slices = cut(found, records, 0, count)[2]
    assert (records.metadata_prefix, len(slices), found.faults, [*faults_in(slices)]) == ("olac", count, (), [])
