"""Harvesters that others wrote, on our provider under gunicorn: each gets every record, in both formats."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import oaipmh_scythe
import pytest
import sickle

from gateway.model import Selection
from gateway.store.opening import open_store
from tests import live
from tests.bench.source import serving

pytestmark = pytest.mark.slow
FORMATS = ("oai_dc", "oai_didl")
RECORDS = 250  # of the made corpus: some pages


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, sample_source: str) -> Path:
    """Return an instance with a corpus of several pages, the sample, and tombstones of a removed source."""
    with serving(RECORDS) as corpus:
        urls = {"corpus": corpus, "sample": sample_source, "removed": sample_source}
        sources = {name: (url, ("oai_dc",)) for name, url in urls.items()}
        folder = live.instance(tmp_path_factory.mktemp("clients"), sources)
        for arguments in (("run", "--all"), ("source", "remove", "removed", "--yes")):
            done = live.called("harvester", folder, *arguments, is_measured=False, publish_processes=0)
            assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def base_url(instance: Path) -> Iterator[str]:
    with live.served(instance, oai_page_size=50, serve_workers=1) as server:
        yield server.url


def held(instance: Path, metadata_prefix: str) -> set[tuple[str, bool]]:
    """Return (identifier, is deleted) of every record in the store, read without the protocol."""
    with closing(open_store(instance)) as store, store.view() as view:
        page = view.page(Selection(metadata_prefix), None, 10_000)
        assert page.next is None
    return {_identity(content) for content in page.records}


def _identity(content: bytes) -> tuple[str, bool]:
    header = content.partition(b"</header>")[0]
    identifier = header.partition(b"<identifier>")[2].partition(b"</identifier>")[0]
    return identifier.decode(), b'status="deleted"' in header


def _by_sickle(url: str, metadata_prefix: str) -> Iterator[tuple[str, bool]]:
    for record in sickle.Sickle(url).ListRecords(metadataPrefix=metadata_prefix):
        yield record.header.identifier, record.header.deleted


def _by_scythe(url: str, metadata_prefix: str) -> Iterator[tuple[str, bool]]:
    with oaipmh_scythe.Scythe(url) as scythe:
        for record in scythe.list_records(metadata_prefix=metadata_prefix):
            yield record.header.identifier, record.header.deleted  # type: ignore[union-attr]


def _by_http_oai(url: str, metadata_prefix: str) -> Iterator[tuple[str, bool]]:
    script = Path(__file__).with_name("http_oai.pl")
    done = subprocess.run(["perl", script, url, metadata_prefix], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for line in done.stdout.splitlines():
        status, _, identifier = line.partition(" ")
        yield identifier, status == "deleted"


Client = Callable[[str, str], Iterator[tuple[str, bool]]]
CLIENTS = (
    pytest.param(_by_sickle, id="sickle"),
    pytest.param(_by_scythe, id="oaipmh-scythe"),
    pytest.param(_by_http_oai, id="HTTP-OAI", marks=pytest.mark.needs("HTTP::OAI")),
)


@pytest.mark.parametrize("metadata_prefix", FORMATS)
@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(base_url: str, instance: Path, client: Client, metadata_prefix: str) -> None:
    harvested = list(client(base_url, metadata_prefix))
    assert len(harvested) == len(set(harvested))
    assert set(harvested) == held(instance, metadata_prefix)
    assert len(harvested) > RECORDS
    assert any(is_deleted for _, is_deleted in harvested)
