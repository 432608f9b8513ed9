"""The sample's source is a repository as the standard wants it; else the demo and half the tests prove nothing."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode
from urllib.request import urlopen

from lxml import etree

from tests.conftest import ROOT
from tests.rows import each_row

OAI = "{http://www.openarchives.org/OAI/2.0/}"


def ask(base_url: str, **arguments: str) -> etree._Element:
    """Return the root of an answer."""
    query = urlencode({name.rstrip("_"): value for name, value in arguments.items()})
    with urlopen(f"{base_url}?{query}") as answer:
        return etree.fromstring(answer.read())


def pages(base_url: str, **arguments: str) -> Iterator[etree._Element]:
    """Follow a list to its end."""
    page = ask(base_url, **arguments)
    yield page
    while token := page.findtext(f".//{OAI}resumptionToken"):
        page = ask(base_url, verb=arguments["verb"], resumptionToken=token)
        yield page


def test_the_list_has_twenty_five_works_in_three_pages(sample_source: str) -> None:
    answers = pages(sample_source, verb="ListRecords", metadataPrefix="oai_dc")
    lengths = [len(page.findall(f".//{OAI}record")) for page in answers]
    assert lengths == [10, 10, 5]


def test_three_works_are_deleted_and_have_no_metadata(sample_source: str) -> None:
    records = [
        record
        for page in pages(sample_source, verb="ListRecords", metadataPrefix="oai_dc")
        for record in page.iter(f"{OAI}record")
    ]
    deleted = [record for record in records if record.find(f"{OAI}header").get("status") == "deleted"]
    assert [len(record) for record in deleted] == [1, 1, 1]


def test_some_works_have_a_second_format(sample_source: str) -> None:
    page = ask(sample_source, verb="ListIdentifiers", metadataPrefix="mods")
    assert len(page.findall(f".//{OAI}header")) == 10


@each_row(
    "arguments, count",
    [
        ({"set": "physics:plasma"}, 5),
        ({"set": "materials:actinides", "until": "2019-02-14"}, 2),
        ({"from_": "2018-01-02T03:04:06Z", "until": "2018-04-22T18:00:00Z"}, 2),
    ],
)
def test_selection_is_by_set_and_by_dates_inclusive(sample_source: str, arguments: dict[str, str], count: int) -> None:
    page = ask(sample_source, verb="ListIdentifiers", metadataPrefix="oai_dc", **arguments)
    assert len(page.findall(f".//{OAI}header")) == count


@each_row(
    "arguments, code",
    [
        ({"verb": "ListEverything"}, "badVerb"),
        ({"verb": "Identify", "set": "x"}, "badArgument"),
        ({"verb": "GetRecord", "identifier": "oai:laro.example.org:1", "metadataPrefix": "oai_dc"}, "idDoesNotExist"),
        ({"verb": "ListRecords", "metadataPrefix": "marc"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "earth"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListSets", "resumptionToken": "x"}, "badResumptionToken"),
    ],
)
def test_error_is_answered_by_its_code(sample_source: str, arguments: dict[str, str], code: str) -> None:
    assert ask(sample_source, **arguments).find(f"{OAI}error").get("code") == code


def test_every_answer_is_valid(sample_source: str) -> None:
    schema = etree.XMLSchema(etree.parse(ROOT / "schemas" / "OAI-PMH.xsd"))
    for verb in ("Identify", "ListSets", "ListMetadataFormats"):
        assert schema.validate(ask(sample_source, verb=verb)), schema.error_log
    for prefix in ("oai_dc", "mods"):
        for page in pages(sample_source, verb="ListRecords", metadataPrefix=prefix):
            assert schema.validate(page), schema.error_log
