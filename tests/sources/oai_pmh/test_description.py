"""What an OAI-PMH source says of itself, and what is done when it does not say it well."""

from collections.abc import Callable

import pytest

from gateway.core.errors import ConnectionFailed, NotOaiPmh, RemoteRefuses
from gateway.core.model import Format, SetDescription
from harvester.http.dates import DAY, SECONDS
from harvester.http.messages import Fetched, Request
from harvester.sources import Description, Options
from harvester.sources.oai_pmh import SOURCE
from tests.oai_pages import OAI, error
from tests.rows import each_row

OPTIONS = Options("x", "http://x.org/oai?verb=Identify")

IDENTIFY = (
    "<Identify><repositoryName>X</repositoryName><baseURL>http://localhost/oai</baseURL>"
    "<protocolVersion>2.0</protocolVersion><earliestDatestamp>1999-01-01</earliestDatestamp>"
    "<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
)
FORMAT = "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat>"
FORMATS = f"<ListMetadataFormats>{FORMAT}</ListMetadataFormats>"


def _answer(content: str) -> str:
    return f'<OAI-PMH xmlns="{OAI}"><responseDate>2024-01-01T00:00:00Z</responseDate><request/>{content}</OAI-PMH>'


def _sets(*specs: str, token: str = "") -> str:
    listed = "".join(f"<set><setSpec>{spec}</setSpec><setName>{spec.upper()}</setName></set>" for spec in specs)
    return _answer(f"<ListSets>{listed}<resumptionToken>{token}</resumptionToken></ListSets>")


def _described(sets: Callable[[Request], str], identify: str = IDENTIFY, formats: str = FORMATS) -> Description:
    def fetch(request: Request) -> Fetched:
        if "verb=Identify" in request.url:
            body = _answer(identify)
        elif "verb=ListMetadataFormats" in request.url:
            body = _answer(formats)
        else:
            body = sets(request)
        return Fetched(request.url, 200, (), body.encode(), 5)

    return SOURCE.describe(OPTIONS, fetch).with_sets(SOURCE, OPTIONS, fetch)


def test_source_is_described_and_its_answers_are_kept():
    description = _described(lambda request: _sets("b") if "=t" in request.url else _sets("a", "b", token="t"))
    assert (description.repository_name, description.base_url, description.granularity) == (
        "X",
        "http://localhost/oai",
        SECONDS,
    )
    assert (description.earliest_datestamp, description.deleted_record) == ("1999-01-01", "no")
    assert description.formats == (Format("oai_dc", "", ""),)
    assert description.sets == (SetDescription("a", "A"), SetDescription("b", "B"))
    assert description.notes == ()
    assert [(page.verb, page.url) for page in description.pages] == [
        ("Identify", "http://x.org/oai?verb=Identify"),
        ("ListMetadataFormats", "http://x.org/oai?verb=ListMetadataFormats"),
        ("ListSets", "http://x.org/oai?verb=ListSets"),
        ("ListSets", "http://x.org/oai?verb=ListSets&resumptionToken=t"),
    ]


def test_source_without_sets_has_none():
    description = _described(lambda _: error("noSetHierarchy"))
    assert (description.sets, description.notes) == ((), ())


def test_trouble_with_formats_and_sets_hinders_no_harvest():
    description = _described(lambda _: "<html/>", formats="<error code='badVerb'>?</error>")
    assert (description.formats, description.sets) == ((), ())
    assert [note.partition(":")[0] for note in description.notes] == ["ListMetadataFormats", "ListSets"]


@each_row("token", ["t", ""])
def test_list_of_sets_without_end_is_ended_and_reported(token: str):
    def sets(request: Request) -> str:
        return (
            _sets("a", token="t")
            if token
            else _answer(f"<ListSets><resumptionToken>{request.url[-9:]}</resumptionToken></ListSets>")
        )

    description = _described(sets)
    assert description.notes == ("ListSets: the list of sets does not end properly; some sets may be missing.",)
    assert {set_.spec for set_ in description.sets} == ({"a"} if token else set())


def test_odd_identify_is_read_and_reported():
    description = _described(
        lambda _: _sets("a"), identify="<Identify><repositoryName>&eacute;</repositoryName></Identify>"
    )
    assert (description.repository_name, description.granularity) == ("é", DAY)
    assert "Entities of HTML" in description.notes[0]
    assert description.notes[1] == "The source says it speaks version '' of the protocol, not 2.0."


@each_row("status, kind", [(200, NotOaiPmh), (404, RemoteRefuses), (500, ConnectionFailed)])
def test_source_that_cannot_identify_itself_is_an_error(status: int, kind: type[Exception]):
    with pytest.raises(kind):
        SOURCE.describe(OPTIONS, lambda request: Fetched(request.url, status, (), b"<html/>", 5))
