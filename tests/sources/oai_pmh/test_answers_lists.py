"""Lists of records as they should be, and as they are when nothing is wrong but the dress."""

import pytest
from lxml import etree

from gateway.core.errors import NotOaiPmh, NotXml
from harvester.sources.oai_pmh.answers import ResumptionToken, parse_list
from harvester.xml import slices
from harvester.xml.document import read
from tests.oai_pages import DC, ENVELOPE, OAI, error, identifiers, page, payload, record
from tests.rows import each_row


def test_clean_page_is_read_as_it_is():
    body = page(record(1, sets=("a", "a:b")), record(2, status="deleted", metadata=""), token="t").encode()
    answer = parse_list(body)
    assert (answer.verb, answer.response_date, answer.errors) == ("ListRecords", "2024-02-03T04:05:06Z", ())
    assert (answer.repaired, answer.repairs) == (b"", ())
    assert answer.token == ResumptionToken("t")
    first, second = answer.slices
    facts = (first.identifier, first.datestamp, first.sets, first.is_deleted)
    assert facts == ("oai:x:1", "2024-01-01", ("a", "a:b"), False)
    assert body[first.start : first.stop] == DC.format("Work 1").encode()
    assert (second.is_deleted, second.start, second.stop, second.problem) == (True, 0, 0, "")


@each_row(
    "end, text, unknown",
    [
        ("<resumption_token>t</resumption_token>", "t", ()),
        ("<ResumptionToken>t</ResumptionToken>", "t", ()),
        ("<next>t</next>", "", ("<next>",)),
        ('<resumptionToken value="t"/>', "", ("value=",)),
        ("token: t", "", ("text",)),
        ("<!-- t -->", "", ()),
    ],
)
def test_token_in_another_spelling_is_read_and_what_else_stands_there_is_named(end: str, text: str, unknown):
    answer = parse_list(page(record(1), end).encode())
    assert (answer.token.text if answer.token else "", answer.unknown) == (text, unknown)


@each_row("status", ["deleted", "Deleted", " DELETED "])
@each_row("metadata", ["", None])
def test_deleted_in_any_case_is_deleted_and_metadata_that_it_still_has_is_none_for_us(status: str, metadata):
    (slice_,) = parse_list(page(record(1, metadata=metadata, status=status)).encode()).slices
    assert (slice_.is_deleted, slice_.start, slice_.stop, slice_.problem) == (True, 0, 0, "")


@each_row(
    "entry, problem",
    [
        ("<record/>", slices.NO_HEADER),
        ("<header><identifier>oai:x:2</identifier></header>", slices.NO_RECORD),
        ("<record><header/></record>", slices.NO_IDENTIFIER),
        ("<record><header><identifier> </identifier></header></record>", slices.NO_IDENTIFIER),
        (record().replace("oai:x:1", " "), slices.NO_IDENTIFIER),
        (record(metadata=""), slices.NO_METADATA),
        (record(metadata=" "), slices.EMPTY_METADATA),
        (record(metadata="only text"), slices.EMPTY_METADATA),
        (record(metadata="<!-- nothing -->"), slices.EMPTY_METADATA),
    ],
)
def test_record_that_cannot_be_used_says_why_and_spoils_no_other(entry: str, problem: str):
    before, slice_, after = parse_list(page(record(1), entry, record(3)).encode()).slices
    assert slice_.problem == problem
    assert not before.problem
    assert not after.problem


def test_abouts_are_found_with_what_they_need():
    about = "<about><p:provenance xsi:x='1' xmlns:p='urn:p'/></about><about><q xmlns='urn:q'/></about>"
    body = page(record(1, about=about), record(2)).encode()
    first, second = parse_list(body).slices
    assert [body[start:stop] for start, stop in first.abouts] == [
        b"<p:provenance xsi:x='1' xmlns:p='urn:p'/>",
        b"<q xmlns='urn:q'/>",
    ]
    assert dict(first.declarations).keys() == {"xsi"}
    assert second.abouts == second.declarations == ()  # type: ignore[comparison-overlap]


@each_row(
    "metadata",
    [
        "<dc><title>in the envelope's namespace</title></dc>",
        "<!-- before --><dc xmlns='urn:x'><![CDATA[</metadata>]]></dc><!-- <metadata> -->",
        "<?app <metadata> ?><dc xmlns='urn:x'/><?app </metadata> ?>",
        "<metadata xmlns='urn:x'><record><header/></record></metadata>",
        "<record><header><identifier>inner</identifier></header></record>",
        "<dc xmlns='urn:x' a='&gt;' b='>'/>",
        "<q:dc xmlns:q='urn:x' q:type='xsi:string'><x xmlns=''/></q:dc>",
        "<about><x/></about>",
        "text <dc xmlns='urn:x'/> text",
        "<collection xmlns='urn:x'><metadata/><about/></collection>",
        "<dc xmlns='urn:x'/><!---->",
    ],
)
def test_payload_of_any_kind_is_cut_whole_and_stands_alone(metadata: str):
    body = page(record(1), record(2, metadata=metadata), record(3)).encode()
    parsed_slices = parse_list(body).slices
    assert identifiers(parsed_slices) == ["1", "2", "3"]
    inside = etree.fromstring(body).findall(f".//{{{OAI}}}metadata")
    expected = next(child for child in inside[1] if isinstance(child.tag, str))
    assert payload(body, parsed_slices[1]).tag == expected.tag
    assert etree.tostring(payload(body, parsed_slices[1]), method="c14n", exclusive=True) == etree.tostring(
        expected, method="c14n", exclusive=True, with_tail=False
    )


@each_row(
    "spoiled",
    [
        lambda text: text.replace("<metadata>", "<metadata >"),
        lambda text: text.replace("<metadata>", '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">', 1),
        lambda text: text.replace("<record>", '<record xmlns:dc="http://purl.org/dc/elements/1.1/">', 1),
        lambda text: text.replace("<identifier>oai:x:1<", "<identifier><!-- c -->oai:x:1<"),
        lambda text: text.replace("<identifier>oai:x:1<", "<identifier><![CDATA[oai:x:1]]><"),
        lambda text: text.replace("<header>", "<header><!-- <metadata> -->", 1),
        lambda text: text.replace("</ListRecords>", "<other xmlns=''/></ListRecords>"),
        lambda text: text.replace("<record>", "<foreign xmlns='urn:y'/><record>", 1),
        lambda text: text.replace("oai_dc:dc ", "oai_dc:dc a='1>0' "),
        lambda text: text.replace("<identifier>oai:x:1</identifier>", "<identifier>oai:x:1</identifier>" * 2),
    ],
)
def test_every_way_to_write_a_page_gives_the_same_records(spoiled):
    plain = page(record(1), record(2, about="<about><x xmlns='urn:x'/></about>"), record(3))
    body = spoiled(plain).encode()
    answer = parse_list(body)
    assert identifiers(answer.slices) == ["1", "2", "3"]
    for slice_ in answer.slices:
        assert payload(body, slice_).tag == "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"


def test_prefixed_envelope_is_read_and_reported():
    text = page(record(1, "<d:dc xmlns:d='urn:d'/>"), token="t", root=f'xmlns:o="{OAI}"')
    for name in ENVELOPE:
        text = text.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    answer = parse_list(text.encode())
    assert identifiers(answer.slices) == ["1"]
    assert answer.token == ResumptionToken("t")
    assert answer.repairs == ("The elements of the protocol have the prefix 'o'.",)


@each_row("root", ["", 'xmlns="https://www.openarchives.org/OAI/2.0/"'])
def test_wrong_namespace_is_read_and_reported(root: str):
    answer = parse_list(page(record(1), token="t", root=root).encode())
    assert identifiers(answer.slices) == ["1"]
    assert answer.token == ResumptionToken("t")
    assert "namespace" in answer.repairs[0]


def test_list_of_headers_needs_no_metadata_and_headers_wrapped_in_records_are_headers():
    header = "<header><identifier>oai:x:1</identifier><datestamp>2024-01-01</datestamp><setSpec/></header>"
    for entry in (header, record(1, "")):
        (slice_,) = parse_list(page(entry, verb="ListIdentifiers").encode()).slices
        assert (slice_.identifier, slice_.sets, slice_.problem) == ("oai:x:1", (), "")


def test_get_record_is_a_list_of_one_and_an_empty_list_is_empty():
    answer = parse_list(page(record(1), verb="GetRecord").encode())
    assert (answer.verb, identifiers(answer.slices), answer.token) == ("GetRecord", ["1"], None)
    assert parse_list(page().encode()).slices == ()


def test_errors_are_returned_with_code_and_sentence():
    answer = parse_list(error("noRecordsMatch", " None. ").encode())
    assert answer.errors == (("noRecordsMatch", "None."),)
    assert (answer.verb, answer.slices) == ("", ())
    assert parse_list(error("").encode()).errors == (("unknown", ""),)


@each_row(
    "text, attributes, expected",
    [
        ("\n  abc\n ", "", ResumptionToken("abc")),
        ("  ", "", ResumptionToken("", is_blank=True)),
        ("", "", ResumptionToken("")),
        ("a&amp;b", ' cursor="0" completeListSize=" 12 "', ResumptionToken("a&b", 0, 12)),
        ("a", ' cursor="-1" completeListSize="about 7"', ResumptionToken("a")),
        ("a", ' completeListSize="12345678901234567"', ResumptionToken("a")),
        ("a", ' completeListSize="²"', ResumptionToken("a")),
        ("a", ' expirationDate=" 2024 "', ResumptionToken("a", expiration_date="2024")),
    ],
)
def test_token_is_read_leniently(text: str, attributes: str, expected: ResumptionToken):
    assert parse_list(page(record(1), token=text, attributes=attributes).encode()).token == expected


def test_token_beside_the_list_counts_too():
    text = page(record(1)).replace("</ListRecords>", "</ListRecords><resumptionToken>t</resumptionToken>")
    assert parse_list(text.encode()).token == ResumptionToken("t")


def test_records_in_the_wrong_place_are_not_an_empty_list():
    text = page(record(1)).replace("<ListRecords>", "<ListRecords><records>").replace("</List", "</records></List")
    with pytest.raises(NotOaiPmh, match="not where"):
        parse_list(text.encode())


def test_answer_to_another_question_is_refused():
    with pytest.raises(NotOaiPmh, match="not a list of records; it holds responseDate, request, Identify"):
        parse_list(page(verb="Identify").encode())


def test_a_fault_of_ours_would_be_reported(monkeypatch: pytest.MonkeyPatch):
    """Tree and bytes must agree on the records; should they ever not, nothing may be lost."""
    body = page(record(1), record(2)).encode()
    document = read(body)
    with pytest.raises(NotXml, match="2 records in one way and as 1"):
        slices.cut(document.root, page(record(1)).encode(), {0: "x"})
    with pytest.raises(NotXml, match="not XML"):
        slices.cut(document.root, b"<a>", {0: "x"})


@each_row("blank", ["", '<record><header status=""></header><metadata></metadata><about></about></record>'])
def test_an_empty_getrecord_before_the_list_is_passed_over(blank: str) -> None:
    """Metha (2026-03) writes an empty element for every verb that was not asked."""
    record = (
        "<record><header><identifier>oai:x:1</identifier><datestamp>2020-01-01</datestamp></header>"
        '<metadata><a xmlns="http://example.org/a">b</a></metadata></record>'
    )
    answer = parse_list(
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2024-01-01T00:00:00Z</responseDate>'
        f"<request>x</request><GetRecord>{blank}</GetRecord><ListRecords>{record}</ListRecords></OAI-PMH>".encode()
    )
    assert answer.verb == "ListRecords"
    assert [(slice_.identifier, slice_.problem) for slice_ in answer.slices] == [("oai:x:1", "")]


RECORD = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2008-09-24T00:00:00Z</responseDate>
<request>http://jsru.kb.nl/sru</request><ListRecords><record><header><identifier>GGC:AC:1</identifier>
<datestamp>2008-09-24</datestamp></header>{}</record></ListRecords></OAI-PMH>"""
BESIDE = """<metadata><srw_dc:dc xmlns:srw_dc="info:srw/schema/1/dc-v1.1"><title xmlns="">One</title></srw_dc:dc>
<index><field>two</field></index></metadata>"""


def test_elements_side_by_side_stay_together_in_their_metadata_element() -> None:
    page = RECORD.format(BESIDE).encode()
    (slice_,) = parse_list(page).slices
    assert (slice_.problem, slice_.identifier) == ("", "GGC:AC:1")
    assert page[slice_.start : slice_.stop] == BESIDE.encode()
    assert ("", "http://www.openarchives.org/OAI/2.0/") in slice_.declarations


def test_two_metadata_elements_with_something_in_them_are_unusable() -> None:
    (slice_,) = parse_list(RECORD.format(BESIDE + BESIDE).encode()).slices
    assert slice_.problem == "The record has metadata 2 times where OAI-PMH 2.0 §2.5 has it once."
