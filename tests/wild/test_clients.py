"""Harvesters that others wrote, on our provider under gunicorn: each gets every record, in both formats."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

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


def held(instance: Path, selection: Selection, *, show_departed: bool = False) -> set[tuple[str, bool]]:
    """Return (identifier, is deleted) of every record of a list, read without the protocol."""
    with closing(open_store(instance, show_departed=show_departed)) as store, store.view() as view:
        page = view.page(selection, None, 10_000)
        assert page.next is None
    return {_identity(content) for content in page.records}


def _identity(content: bytes) -> tuple[str, bool]:
    header = content.partition(b"</header>")[0]
    identifier = header.partition(b"<identifier>")[2].partition(b"</identifier>")[0]
    return identifier.decode(), b'status="deleted"' in header


class Wanted(NamedTuple):
    """A list, and the content codings that a client asks for if it can be told so."""

    verb: str = "ListRecords"
    metadata_prefix: str = "oai_dc"
    set_spec: str = ""
    from_: str = ""
    until: str = ""
    codings: str = ""

    def arguments(self, of_set: str = "set", of_from: str = "from") -> dict[str, str]:
        """Return the arguments that are there, with the names that a client has for them."""
        named = {of_set: self.set_spec, of_from: self.from_, "until": self.until}
        return {name: value for name, value in named.items() if value}


def by_sickle(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    more = {"headers": {"Accept-Encoding": wanted.codings}} if wanted.codings else {}
    harvester = getattr(sickle.Sickle(url, **more), wanted.verb)
    for record in harvester(metadataPrefix=wanted.metadata_prefix, **wanted.arguments()):
        header = getattr(record, "header", record)
        yield header.identifier, header.deleted


def _by_scythe(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    with oaipmh_scythe.Scythe(url) as scythe:
        harvester = scythe.list_records if wanted.verb == "ListRecords" else scythe.list_identifiers
        arguments: dict[str, Any] = {**wanted.arguments("set_", "from_")}
        for record in harvester(metadata_prefix=wanted.metadata_prefix, **arguments):
            header = getattr(record, "header", record)
            yield header.identifier, header.deleted  # type: ignore[union-attr]


def _by_http_oai(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    script = Path(__file__).with_name("http_oai.pl")
    words = [word for argument in wanted.arguments().items() for word in argument]
    line = ["perl", str(script), url, wanted.verb, wanted.metadata_prefix, *words]
    done = subprocess.run(line, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for output in done.stdout.splitlines():
        status, _, identifier = output.partition(" ")
        yield identifier, status == "deleted"


Client = Callable[[str, Wanted], Iterator[tuple[str, bool]]]
CLIENTS = (
    pytest.param(by_sickle, id="sickle"),
    pytest.param(_by_scythe, id="oaipmh-scythe"),
    pytest.param(_by_http_oai, id="HTTP-OAI", marks=pytest.mark.needs("HTTP::OAI")),
)


@pytest.mark.parametrize("metadata_prefix", FORMATS)
@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(base_url: str, instance: Path, client: Client, metadata_prefix: str) -> None:
    harvested = list(client(base_url, Wanted(metadata_prefix=metadata_prefix)))
    assert len(harvested) == len(set(harvested))
    assert set(harvested) == held(instance, Selection(metadata_prefix))
    assert len(harvested) > RECORDS
    assert any(is_deleted for _, is_deleted in harvested)
