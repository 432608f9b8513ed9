"""Answers of OAI-PMH 1.0 and 1.1 say what answers of 2.0 would say; no later version of them is to be expected."""

import pytest

from gateway.core.errors import RemoteError
from harvester.sources.oai_pmh.answers import parse_formats, parse_identify, parse_list, parse_sets
from tests.conftest import SHARED
from tests.rows import each_row

RECORDED = SHARED / "data" / "oai" / "oai1" / "zimeon+www.openarchives.org"
recorded = pytest.mark.needs("../shared/data/oai/oai1")
ENTITY = "&amp;"


def _body(name: str) -> bytes:
    return (RECORDED / name).read_bytes()


def _answer(verb: str, inside: str, *, version: str = "1.1", asked: str = "", prefix: str = "") -> bytes:
    """Return an answer of 1.x; elements of the protocol in `inside` must have the prefix themselves."""
    p, declared = (f"{prefix}:", f"xmlns:{prefix}") if prefix else ("", "xmlns")
    return (
        f'<{p}{verb} {declared}="http://www.openarchives.org/OAI/{version}/OAI_{verb}">'
        f"<{p}responseDate>2002-02-08T08:55:46-05:00</{p}responseDate>"
        f"<{p}requestURL>http://x/oai?verb={verb}{asked}</{p}requestURL>{inside}</{p}{verb}>"
    ).encode()


def _record(number: int, payload: str = "<d xmlns='urn:d'/>") -> str:
    header = f"<header><identifier>oai:x:{number}</identifier><datestamp>2001-01-01</datestamp></header>"
    return f"<record>{header}<metadata>{payload}</metadata></record>"


# --- as recorded ----------------------------------------------------------------------------------------------


@recorded
def test_the_recorded_identify_tells_its_version_and_knows_no_dates_and_no_granularity():
    answer = parse_identify(_body("I1.txt"))
    assert (answer.repository_name, answer.base_url) == (
        "The University of Spa E-print System",
        "http://an.oa.org/OAI-script",
    )
    assert answer.protocol_version == "1.0"
    assert answer.response_date == "2000-10-01T19:20:30-04:00"
    assert (answer.earliest_datestamp, answer.deleted_record, answer.granularity) == ("", "", "")
    names = [description.partition(b" ")[0] for description in answer.descriptions]
    assert names == [b"<oai-identifier", b"<eprints"]
    assert answer.repairs == ("The source speaks OAI-PMH 1.0.",)


@recorded
def test_the_recorded_list_of_records_is_cut_where_it_lies():
    body = _body("LR1.txt")
    answer = parse_list(body)
    assert (answer.verb, answer.version, answer.errors, answer.token) == ("ListRecords", "1.0", (), None)
    assert (answer.response_date, answer.repaired, answer.repairs) == ("2000-10-01T19:20:30-04:00", b"", ())
    first, second, third = answer.slices
    assert (first.identifier, first.datestamp, first.is_deleted) == ("oai:arXiv:hep-th/9901001", "1999-12-25", False)
    payload, ((start, stop),) = body[first.start : first.stop], first.abouts
    assert (payload[:9], payload[-10:]) == (b"<rfc1807 ", b"</rfc1807>")
    assert (body[start : start + 4], body[stop - 5 : stop]) == (b"<dc ", b"</dc>")
    assert (second.identifier[-4:], second.problem) == ("1004", "The record is not deleted and has no metadata.")
    assert (third.identifier[-4:], third.datestamp, third.is_deleted, third.problem) == ("1007", "1999-12-21", True, "")


@recorded
@each_row(
    "name, tag, problem",
    [
        ("GR1.txt", b"<dc ", ""),
        ("GR3.txt", b"", "The record is not deleted and has no metadata."),
        ("oai1_0-locmarc.xml", b"<oai_marc ", ""),
        ("LoC-oai-marc.txt", b"<oai_marc ", ""),
    ],
)
def test_the_recorded_single_records_are_cut_where_they_lie(name: str, tag: bytes, problem: str):
    answer = parse_list(_body(name))
    (slice_,) = answer.slices
    text = answer.repaired or _body(name)
    assert (answer.verb, slice_.problem) == ("GetRecord", problem)
    assert text[slice_.start : slice_.stop].startswith(tag)
    assert bool(answer.repaired) is bool(answer.repairs) is (name == "LoC-oai-marc.txt")


@recorded
def test_the_recorded_formats_and_sets_are_read():
    prefixes = [format_.metadata_prefix for format_ in parse_formats(_body("LMF1.txt")).formats]
    assert prefixes == ["oai_rfc1807", "oai_dc"]
    assert [format_.metadata_prefix for format_ in parse_formats(_body("LMF2.txt")).formats][2:] == ["oai_marc"]
    sets = parse_sets(_body("LS1.txt")).sets
    assert [set_.spec for set_ in sets][:2] == ["Oceanside", "Oceanside:CompEnt"]
    assert (len(sets), sets[0].name) == (6, "Oceanside University of Nebraska")
    with pytest.raises(RemoteError, match="noMetadataFormats"):
        parse_formats(_body("LMF3.txt"))
    with pytest.raises(RemoteError, match="noSetHierarchy"):
        parse_sets(_body("LS2.txt"))


# --- to measure -----------------------------------------------------------------------------------------------


def test_an_empty_page_behind_a_token_is_the_end_and_no_error():
    answer = parse_list(_answer("ListRecords", "", asked=f"{ENTITY}resumptionToken=x"))
    assert (answer.verb, answer.slices, answer.errors) == ("ListRecords", (), ())
    assert parse_list(_answer("ListRecords", "")).errors == (("noRecordsMatch", "The list is empty."),)


def test_a_damaged_answer_is_repaired_as_one_of_today():
    inside = _record(1) + _record(2, "<d xmlns='urn:d'>a & b<e></d>") + _record(3)
    answer = parse_list(_answer("ListRecords", inside + "<resumptionToken>t</resumptionToken>"))
    assert [slice_.identifier for slice_ in answer.slices] == ["oai:x:1", "oai:x:2", "oai:x:3"]
    assert (answer.version, answer.token.text if answer.token else "") == ("1.1", "t")
    assert answer.repairs
    assert answer.repaired[answer.slices[2].start : answer.slices[2].stop] == b"<d xmlns='urn:d'/>"


def test_an_answer_with_prefixes_in_another_encoding_is_read():
    inside = "<o:identifier status='deleted'>oai:x:1</o:identifier><o:identifier/>"
    answer = parse_list(_answer("ListIdentifiers", inside, prefix="o").decode().encode("utf-16"))
    assert [(slice_.identifier, slice_.is_deleted, slice_.problem) for slice_ in answer.slices] == [
        ("oai:x:1", True, ""),
        ("", False, "The record has no identifier."),
    ]
