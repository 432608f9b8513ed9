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


def test_the_lists_are_valid_and_have_pages_deleted_works_and_a_second_format(sample_source: str) -> None:
    schema = etree.XMLSchema(etree.parse(ROOT / "schemas" / "OAI-PMH.xsd"))
    answers = [ask(sample_source, verb=verb) for verb in ("Identify", "ListSets", "ListMetadataFormats")]
    whole = list(pages(sample_source, verb="ListRecords", metadataPrefix="oai_dc"))
    mods = list(pages(sample_source, verb="ListRecords", metadataPrefix="mods"))
    for answer in (*answers, *whole, *mods):
        assert schema.validate(answer), schema.error_log
    assert [len(page.findall(f".//{OAI}record")) for page in whole] == [10, 10, 5]
    records = [record for page in whole for record in page.iter(f"{OAI}record")]
    deleted = [record for record in records if record.find(f"{OAI}header").get("status") == "deleted"]
    assert [len(record) for record in deleted] == [1, 1, 1], "they have no metadata"
    assert sum(len(page.findall(f".//{OAI}header")) for page in mods) == 10


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
