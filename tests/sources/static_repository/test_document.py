"""Static Repositories: where their records lie, and what is not allowed in them."""

import gzip
from hashlib import sha256

import pytest

from gateway.core.errors import AnswerTooLarge, ConnectionFailed, NotStaticRepository, NotXml, StoreUnwritable
from harvester.http.messages import Fetched
from harvester.sources.static_repository import Spool
from harvester.sources.static_repository.document import cut, oddities_in, read
from tests.conftest import SHARED
from tests.growth import peak_bytes
from tests.rows import each_row
from tests.sources.static_repository.static import document, record

OFFICIAL = SHARED / "data" / "static" / "zimeon+www.openarchives.org"
OLAC = SHARED / "data" / "static" / "olac+olac"


def _cut(body, prefix="oai_dc", first=0, last=99):
    static_repository = read(body)
    part = cut(static_repository, static_repository.records(prefix), first, last)
    return part.repaired or static_repository.text[part.start : part.stop], part.slices


def test_another_encoding_is_kept_as_utf_8():
    body = document(record("é")).decode().replace("UTF-8", "ISO-8859-1").encode("latin-1")
    static_repository = read(body)
    assert "kept as UTF-8" in static_repository.repairs[0]
    assert cut(static_repository, static_repository.lists[0], 0, 1).slices[0].identifier == "oai:small:é"


@each_row(
    "old, new, sentence",
    [
        ("<oai:deletedRecord>no", "<oai:deletedRecord>transient", "deletedRecord is 'transient'"),
        ("YYYY-MM-DD<", "YYYY-MM-DDThh:mm:ssZ<", "instead of days"),
        ("<oai:protocolVersion>2.0", "<oai:protocolVersion>1.1", "instead of 2.0"),
        ("</Identify>", "<oai:compression>gzip</oai:compression></Identify>", "compression 'gzip'"),
        ('<ListRecords metadataPrefix="oai_dc"', '<ListRecords metadataPrefix="x"', "not one of its formats"),
        ("</Repository>", '<ListRecords metadataPrefix="oai_dc"/></Repository>', "'oai_dc' 2 times"),
        ("</ListRecords>", "<oai:resumptionToken/></ListRecords>", "contains a resumptionToken"),
    ],
)
def test_what_a_static_repository_may_not_say_is_a_fault(old, new, sentence):
    (fault,) = read(document(record(1)).decode().replace(old, new).encode()).faults
    assert sentence in fault


@each_row(
    "old, new, sentence",
    [
        ("<oai:header>", '<oai:header status="deleted">', "are deleted, which is not allowed"),
        ("</oai:header>", "<oai:setSpec>a</oai:setSpec></oai:header>", "are in sets, which"),
        ("2002-09-19</oai:datestamp></oai:header>", "2002-09-19T00:00:00Z</oai:datestamp></oai:header>", "have no day"),
    ],
)
def test_what_records_may_not_be_and_can_be_read_is_odd(old, new, sentence):
    _, slices = _cut(document(record(1)).decode().replace(old, new).encode())
    (oddity,) = oddities_in(slices)
    assert sentence in oddity
    assert "oai:small:1 (1)" in oddity


def test_a_prefix_that_a_record_does_not_declare_is_mended_there():
    body = document(record(1), record(2).replace("dc:title", "dcterms:title"), record(3))
    static_repository = read(body)
    part = cut(static_repository, static_repository.lists[0], 0, 9)
    assert [slice_.identifier for slice_ in part.slices] == [f"oai:small:{number}" for number in (1, 2, 3)]
    assert "dcterms" in part.repairs[0]
    second = part.slices[1]
    assert b"<dcterms:title" in part.repaired[second.start : second.stop]
    assert cut(static_repository, static_repository.lists[0], 0, 1).repaired == b""


@each_row(
    "body, error",
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


@pytest.mark.slow
@pytest.mark.needs("../shared/data/static")
@each_row("file", sorted(OFFICIAL.glob("*.xml")) or [OFFICIAL])
def test_official_documents_are_accepted_and_bad_ones_are_not(file):
    if "exIdentify" in file.name:
        with pytest.raises(NotStaticRepository):
            read(file.read_bytes())
        return
    static_repository = read(file.read_bytes())
    slices = [slice_ for records in static_repository.lists for slice_ in cut(static_repository, records, 0, 99).slices]
    is_bad = bool(
        static_repository.faults or [*oddities_in(tuple(slices[:2]))] or any(slice_.problem for slice_ in slices)
    )
    assert is_bad == ("bad" in file.name)
    assert [(list_.metadata_prefix, len(list_.places)) for list_ in static_repository.lists] == [
        ("oai_dc", 2),
        ("oai_rfc1807", 1),
    ]


@pytest.mark.slow
@pytest.mark.needs("../shared/data/static")
@each_row(
    "name, count",
    [
        ("default_project__repository.xml", 23),
        ("multi-classify__test.xml", 479),
        ("static-repository.xml", 2),
        ("worldcat__wcrepository.xml", 2422),
    ],
)
def test_real_documents_are_read_whole(name, count):
    static_repository = read((OLAC / name).read_bytes())
    (records,) = static_repository.lists
    slices = cut(static_repository, records, 0, count).slices
    assert (records.metadata_prefix, len(slices), static_repository.faults) == ("olac", count, ())
    assert not any(slice_.problem or slice_.is_deleted or slice_.sets for slice_ in slices)


@pytest.mark.slow
def test_the_length_of_a_document_costs_no_memory():
    opening, closing = document("|").split(b"|")

    def peak(words):
        with Spool() as spool:
            spool.write(opening)
            for number in range(1_000):
                spool.write(record(number, "A long title " * words).encode())
            spool.write(closing)
            return peak_bytes(lambda: read_last(spool))

    def read_last(spool):
        static_repository = read(spool)
        (last,) = cut(static_repository, static_repository.lists[0], 999, 9_999).slices
        assert (len(static_repository.lists[0].places), last.identifier) == (1_000, "oai:small:999")

    assert peak(800) < 1.5 * peak(200)


def test_a_document_that_is_too_long_is_refused_and_what_is_looked_for_and_does_not_come_reported():
    with Spool(1001) as spool:
        spool.write(b"x" * 1000 + b">")
        assert spool.index(b">", 3) == 1000
        with pytest.raises(ValueError, match=">"):
            spool.index(b">", 1001)
        with pytest.raises(AnswerTooLarge, match="more than 1001 bytes"):
            spool.write(b"x")
        spool.begin(Fetched("http://e.org/", 200, (), b"", 0))
        assert len(spool) == 0


def test_a_document_for_which_there_is_no_room_is_refused():
    with Spool() as spool:
        spool._file.close()
        spool._file.file = open("/dev/full", "r+b", buffering=0)  # noqa: PTH123, SIM115 - a file that is always full
        with pytest.raises(StoreUnwritable, match="There is no room for the document: No space left"):
            spool.write(b"x")


def test_a_compressed_document_that_is_served_as_plain_is_unpacked():
    body = document(*map(record, range(2000)))
    packed = gzip.compress(body)
    with Spool() as spool:
        for at in range(0, len(packed), 1000):
            spool.write(packed[at : at + 1000])
        assert (spool[:], spool.digest) == (body, sha256(body).hexdigest())
        spool.begin(Fetched("http://e.org/", 200, (), b"", 0))
        spool.write(body)
        assert spool[:] == body


def test_what_is_compressed_and_damaged_or_grows_without_end_is_refused():
    with Spool() as spool, pytest.raises(ConnectionFailed, match="compressed document is damaged"):
        spool.write(b"\x1f\x8b nothing of the kind")
    with Spool(100_000) as spool, pytest.raises(AnswerTooLarge):
        spool.write(gzip.compress(b"x" * 1_000_000))


@each_row(
    "body, sentence",
    [
        pytest.param(
            document().replace(
                b"<Repository ", b"<Repository %b " % b" ".join(b'xmlns:p%d="p"' % n for n in range(300))
            ),
            "more than 256 namespaces",
            id="namespaces, which each list remembers",
        ),
        pytest.param(
            document().replace(b"</Repository>", b"<ListRecords/>" * 1001 + b"</Repository>"),
            "more than 1000 lists",
            id="lists",
        ),
    ],
)
def test_what_takes_memory_without_end_is_refused(body: bytes, sentence: str):
    """120 kB took 130 MB: the namespaces of the root times the lists."""
    with pytest.raises(AnswerTooLarge, match=sentence):
        read(body)
