"""Identify, ListMetadataFormats and ListSets, as they are and as they should not be."""

import pytest
from lxml import etree

from gateway.core.errors import RemoteError
from gateway.core.model import Format, SetDescription
from harvester.sources.oai_pmh.answers import ResumptionToken, parse_formats, parse_identify, parse_sets
from harvester.sources.oai_pmh.description import identity_of
from tests.oai_pages import OAI, XSI, error
from tests.rows import each_row


def _answer(content: str) -> bytes:
    return (
        f'<OAI-PMH xmlns="{OAI}" {XSI}><responseDate>2024-01-01T00:00:00Z</responseDate><request/>{content}</OAI-PMH>'
    ).encode()


def test_identify_is_read_whole():
    answer = parse_identify(
        _answer(
            "<Identify><repositoryName> A &amp; B </repositoryName><baseURL>http://x.org/oai</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@x.org</adminEmail><adminEmail>b@x.org</adminEmail>"
            "<earliestDatestamp>1990-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>"
            "<granularity>YYYY-MM-DD</granularity><compression>gzip</compression><compression>deflate</compression>"
            "<description><e xmlns='urn:e' xsi:x='1'/><!-- c --></description></Identify>"
        )
    )
    assert (answer.response_date, answer.repository_name) == ("2024-01-01T00:00:00Z", "A & B")
    assert (answer.base_url, answer.protocol_version) == ("http://x.org/oai", "2.0")
    assert answer.compressions == ("gzip", "deflate")
    assert (answer.earliest_datestamp, answer.deleted_record, answer.granularity) == ("1990-01-01", "no", "YYYY-MM-DD")
    (description,) = answer.descriptions
    assert etree.fromstring(description).tag == "{urn:e}e"


def test_formats_without_a_prefix_are_reported():
    answer = parse_formats(
        _answer(
            "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>s</schema>"
            "<metadataNamespace>n</metadataNamespace></metadataFormat><metadataFormat/></ListMetadataFormats>"
        )
    )
    assert answer.formats == (Format("oai_dc", "s", "n"),)
    assert answer.repairs == ("Some formats have no name and were passed over: 1.",)


def test_sets_have_names_and_descriptions_that_stand_alone():
    answer = parse_sets(
        _answer(
            "<ListSets><set><setSpec>a:b</setSpec><setName>N</setName><setDescription><d xmlns='urn:d'/>"
            "</setDescription></set><set/><resumptionToken>t</resumptionToken></ListSets>"
        )
    )
    (set_,) = answer.sets
    assert set_ == SetDescription("a:b", "N", set_.description)
    assert etree.fromstring(set_.description).tag == "{urn:d}d"
    assert answer.token == ResumptionToken("t")
    assert answer.repairs == ("Some sets have no name and were passed over: 1.",)


@each_row("parse", [parse_identify, parse_formats, parse_sets])
def test_errors_of_the_remote_are_raised_with_their_codes(parse):
    with pytest.raises(RemoteError) as caught:
        parse(error("noSetHierarchy", "None").encode())
    assert caught.value.codes == {"noSetHierarchy"}
    assert str(caught.value) == "noSetHierarchy: None"


OAI_IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"


def _identify(*descriptions: str) -> bytes:
    held = "".join(f"<description>{description}</description>" for description in descriptions)
    content = f"<repositoryName>The \n House</repositoryName><baseURL>http://e.org/oai</baseURL>{held}"
    return f'<OAI-PMH xmlns="{OAI}"><Identify>{content}</Identify></OAI-PMH>'.encode()


def _described(name: str) -> str:
    return (
        f'<oai-identifier xmlns="{OAI_IDENTIFIER}"><repositoryIdentifier>{name}</repositoryIdentifier></oai-identifier>'
    )


@each_row(
    "descriptions, identifier",
    [
        ((), ""),
        (("<other/>",), ""),
        (("<other><repositoryIdentifier>e.org</repositoryIdentifier></other>",), ""),
        ((_described(" E.org\n"),), "e.org"),
        ((_described(""),), ""),
        ((_described("f.org"), _described("e.org"), _described("f.org")), "e.org f.org"),
    ],
)
def test_a_repository_calls_itself_by_its_name_its_address_and_its_oai_identifier(descriptions, identifier):
    identity = identity_of(parse_identify(_identify(*descriptions)))
    assert identity == (identifier, "The House", "http://e.org/oai")
