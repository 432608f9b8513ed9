"""What an OAI-PMH source says of itself, and what is done when it does not say it well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gateway.errors import ConnectionFailed, NotOaiPmh, RemoteRefuses
from gateway.model import Format, SetDescription
from harvester.sources import Description, Options
from harvester.sources.oai_pmh import SOURCE
from harvester.wire.dates import DAY, SECONDS
from harvester.wire.http import Fetched, Request
from tests.wire.pages import OAI, error

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
    listed = "".join(f"<set><setSpec>{each}</setSpec><setName>{each.upper()}</setName></set>" for each in specs)
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

    return SOURCE.describe(OPTIONS, fetch)


def test_source_is_described_and_its_answers_are_kept():
    found = _described(lambda request: _sets("b") if "=t" in request.url else _sets("a", "b", token="t"))
    assert (found.repository_name, found.base_url, found.granularity) == ("X", "http://localhost/oai", SECONDS)
    assert (found.earliest_datestamp, found.deleted_record) == ("1999-01-01", "no")
    assert found.formats == (Format("oai_dc", "", ""),)
    assert found.sets == (SetDescription("a", "A"), SetDescription("b", "B"))
    assert found.notes == ()
    assert [(each.verb, each.url) for each in found.pages] == [
        ("Identify", "http://x.org/oai?verb=Identify"),
        ("ListMetadataFormats", "http://x.org/oai?verb=ListMetadataFormats"),
        ("ListSets", "http://x.org/oai?verb=ListSets"),
        ("ListSets", "http://x.org/oai?verb=ListSets&resumptionToken=t"),
    ]


def test_source_without_sets_has_none():
    found = _described(lambda _: error("noSetHierarchy"))
    assert (found.sets, found.notes) == ((), ())


def test_trouble_with_formats_and_sets_hinders_no_harvest():
    found = _described(lambda _: "<html/>", formats="<error code='badVerb'>?</error>")
    assert (found.formats, found.sets) == ((), ())
    assert [each.partition(":")[0] for each in found.notes] == ["ListMetadataFormats", "ListSets"]


@pytest.mark.parametrize("token", ["t", ""])
def test_list_of_sets_without_end_is_ended_and_told(token: str):
    def sets(request: Request) -> str:
        return (
            _sets("a", token="t")
            if token
            else _answer(f"<ListSets><resumptionToken>{request.url[-9:]}</resumptionToken></ListSets>")
        )

    found = _described(sets)
    assert found.notes == ("ListSets: the list of sets does not end properly; some sets may be missing.",)
    assert {each.spec for each in found.sets} == ({"a"} if token else set())


def test_list_of_sets_of_endless_length_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("harvester.oai_pmh.describing._SET_PAGES", 3)
    found = _described(lambda request: _sets("a", token=request.url[-50:]))
    assert "does not end properly" in found.notes[-1]


def test_odd_identify_is_read_and_told():
    found = _described(lambda _: _sets("a"), identify="<Identify><repositoryName>&eacute;</repositoryName></Identify>")
    assert (found.repository_name, found.granularity) == ("é", DAY)
    assert "Entities of HTML" in found.notes[0]
    assert found.notes[1] == "The source says it speaks version '' of the protocol, not 2.0."


@pytest.mark.parametrize(("status", "kind"), [(200, NotOaiPmh), (404, RemoteRefuses), (500, ConnectionFailed)])
def test_source_that_cannot_identify_itself_is_an_error(status: int, kind: type[Exception]):
    with pytest.raises(kind):
        SOURCE.describe(OPTIONS, lambda request: Fetched(request.url, status, (), b"<html/>", 5))


def test_kind_has_a_name_and_tells_its_options():
    assert SOURCE.name == "oai_pmh"
    assert all(each.sentence.endswith(".") for each in SOURCE.options)
    assert {each.name for each in SOURCE.options} >= {"url", "formats", "sets", "overlap_seconds"}
