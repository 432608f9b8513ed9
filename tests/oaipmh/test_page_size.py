"""How many records the pages of a real store have, as a client reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from lxml import etree

from gateway.model import Format, ItemChange, Publication, Record, Source
from gateway.store.opening import open_store
from gateway.upkeep import make
from tests.applications import application
from tests.rows import each_row

COUNT = 130  # they lie in one block


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    make(tmp_path, {"repository_name": "Test", "admin_email": "a@gateway.example.org"})
    store = open_store(tmp_path)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    store.publish(store.intend(), Publication("laro", changes_of(range(COUNT), "source:laro")))
    store.close()
    return tmp_path


def changes_of(numbers: Iterable[int], spec: str, metadata: str = "") -> tuple[ItemChange, ...]:
    """Return new items of a set."""
    changes = []
    for number in numbers:
        header = f"<header><identifier>{number}</identifier></header>"
        text = f"<record>{header}<metadata>{metadata}</metadata></record>".encode()
        record = Record("oai_dc", b"%016d" % number, False, text)
        changes.append(ItemChange(str(number), f"oai:laro/{number}", False, (spec,), (), (record,)))
    return tuple(changes)


def walk(client: FlaskClient, verb: str, total: int, more: str = "") -> tuple[list[int], list[str]]:
    """Read a list page by page; return how many records the pages have, and their identifiers."""
    pages: list[int] = []
    identifiers: list[str] = []
    query = f"verb={verb}&metadataPrefix=oai_dc{more}"
    while query:
        root = etree.fromstring(client.get(f"/oai?{query}").data, etree.XMLParser(huge_tree=True))
        names = [element.text for element in root.iterfind(".//{*}header/{*}identifier")]
        token = root.find(".//{*}resumptionToken")
        if token is not None:
            assert (token.get("cursor"), token.get("completeListSize")) == (str(len(identifiers)), str(total))
        pages.append(len(names))
        identifiers += names
        query = f"verb={verb}&resumptionToken={quote(token.text)}" if token is not None and token.text else ""
    return pages, identifiers


@pytest.mark.slow
@each_row("verb", ["ListRecords", "ListIdentifiers"])
@each_row(
    "settings, sizes",
    [
        ({"oai_page_size": 110}, [130]),
        ({"oai_page_size": 140}, [130]),
        ({"oai_page_size": 100}, [100, 30]),
        ({"oai_page_size": 110, "oai_page_exact": True}, [110, 20]),
    ],
)
def test_a_page_ends_at_the_edge_of_a_block_unless_it_must_be_exact(instance, verb, settings, sizes):
    with application(instance, **settings) as app:
        walked = walk(app.test_client(), verb, COUNT)
    assert walked == (sizes, [str(number) for number in range(COUNT)])


@pytest.mark.slow
@pytest.mark.parametrize("is_exact", [False, True])
def test_a_page_of_very_large_records_has_fewer(instance, monkeypatch, is_exact):
    """Otherwise 500 records of a megabyte would be in memory at once, and nobody else answered meanwhile."""
    monkeypatch.setattr("gateway.store.block_pages.MOST_PAGE_BYTES", 3_700_000)
    numbers = range(200, 208)
    store = open_store(instance)
    store.publish(store.intend(), Publication("laro", changes_of(numbers, "large", "x" * 1_100_000)))
    store.close()
    with application(instance, oai_page_exact=is_exact) as app:
        records = walk(app.test_client(), "ListRecords", 8, "&set=large")
        headers = walk(app.test_client(), "ListIdentifiers", 8, "&set=large")
    assert records == ([3, 3, 2], list(map(str, numbers)))
    assert headers == ([8], list(map(str, numbers)))
