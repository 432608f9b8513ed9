"""How many records the pages of a real store have, as a client reads them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import etree

from gateway.model import Format, ItemChange, Publication, Record, Source
from gateway.store.opening import open_store
from gateway.upkeep import make
from tests.applications import application

COUNT = 130  # they lie in one block


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    make(tmp_path, {"repository_name": "Test", "admin_email": "a@gateway.example.org"})
    store = open_store(tmp_path)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    changes = []
    for number in range(COUNT):
        text = f"<record><header><identifier>{number}</identifier></header><metadata/></record>".encode()
        record = Record("oai_dc", b"%016d" % number, False, text)
        changes.append(ItemChange(str(number), f"oai:laro/{number}", False, ("source:laro",), (), (record,)))
    store.publish(store.intend(), Publication("laro", tuple(changes)))
    store.close()
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
@pytest.mark.parametrize(
    ("settings", "sizes"),
    [
        ({"oai_page_size": 110}, [130]),
        ({"oai_page_size": 140}, [130]),
        ({"oai_page_size": 100}, [100, 30]),
        ({"oai_page_size": 110, "oai_page_exact": True}, [110, 20]),
    ],
)
def test_a_page_ends_at_the_edge_of_a_block_unless_it_must_be_exact(instance, verb, settings, sizes):
    with application(instance, **settings) as app:
        client, pages, identifiers = app.test_client(), [], []
        query = f"verb={verb}&metadataPrefix=oai_dc"
        while query:
            root = etree.fromstring(client.get(f"/oai?{query}").data)
            names = [element.text for element in root.iterfind(".//{*}header/{*}identifier")]
            token = root.find(".//{*}resumptionToken")
            if token is not None:
                assert (token.get("cursor"), token.get("completeListSize")) == (str(len(identifiers)), str(COUNT))
            pages.append(len(names))
            identifiers += names
            query = f"verb={verb}&resumptionToken={quote(token.text)}" if token is not None and token.text else ""
    assert pages == sizes
    assert identifiers == [str(number) for number in range(COUNT)]
