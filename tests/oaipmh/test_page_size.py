"""How many records the pages of a real store have, as a client reads them."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from lxml import etree

from gateway.core.model import Format, ItemChange, Publication, Record, Source
from gateway.ops.upkeep import make
from tests.applications import application
from tests.opening import open_store
from tests.rows import each_row

COUNT = 130  # they lie in one block


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    make(tmp_path, {"repository_name": "Test", "admin_email": "a@gateway.example.org"})
    store = open_store(tmp_path)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    store.publish(store.intend(), Publication("laro", changes()))
    store.close()
    return tmp_path


def changes() -> tuple[ItemChange, ...]:
    made = []
    for number in range(COUNT):
        text = f"<record><header><identifier>{number}</identifier></header></record>".encode()
        record = Record("oai_dc", b"%016d" % number, False, text)
        made.append(ItemChange(str(number), f"oai:laro/{number}", False, ("source:laro",), (), (record,)))
    return tuple(made)


def walk(client: FlaskClient, verb: str) -> tuple[list[int], list[str]]:
    """Read a list page by page; return how many records the pages have, and their identifiers."""
    pages: list[int] = []
    identifiers: list[str] = []
    query = f"verb={verb}&metadataPrefix=oai_dc"
    while query:
        root = etree.fromstring(client.get(f"/oai?{query}").data, etree.XMLParser(huge_tree=True))
        names = [element.text for element in root.iterfind(".//{*}header/{*}identifier")]
        token = root.find(".//{*}resumptionToken")
        if token is not None:
            assert (token.get("cursor"), token.get("completeListSize")) == (str(len(identifiers)), str(COUNT))
        pages.append(len(names))
        identifiers += names
        query = f"verb={verb}&resumptionToken={quote(token.text)}" if token is not None and token.text else ""
    return pages, identifiers


@pytest.mark.slow
@each_row(
    "verb, settings, sizes",
    [
        ("ListRecords", {"oai_page_size": 110}, [130]),
        ("ListIdentifiers", {"oai_page_size": 100}, [100, 30]),
        ("ListRecords", {"oai_page_size": 110, "oai_page_exact": True}, [110, 20]),
    ],
)
def test_a_page_ends_at_the_edge_of_a_block_unless_it_must_be_exact(instance, verb, settings, sizes):
    with application(instance, **settings) as app:
        walked = walk(app.test_client(), verb)
    assert walked == (sizes, [str(number) for number in range(COUNT)])


@pytest.mark.slow
def test_a_token_outlives_the_server(instance):
    with application(instance, oai_page_size=100) as app:
        first = app.test_client().get("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").data
        token = quote(etree.fromstring(first).findtext(".//{*}resumptionToken"))
    with application(instance, oai_page_size=100) as app:
        client = app.test_client()
        second, again = (client.get(f"/oai?verb=ListIdentifiers&resumptionToken={token}").data for _ in range(2))
    assert etree.fromstring(second).findtext(".//{*}identifier") == "100"
    assert re.findall(b"<identifier>.*?<", second) == re.findall(b"<identifier>.*?<", again)
