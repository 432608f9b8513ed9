"""Harvesters that others wrote, on our provider under gunicorn: each gets every record once."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import oaipmh_scythe
import pytest
import sickle

from gateway.core.model import Selection
from tests import live
from tests.bench.source import serving
from tests.opening import open_store

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]
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


class Wanted(NamedTuple):
    """A list."""

    verb: str = "ListRecords"
    metadata_prefix: str = "oai_dc"
    set_spec: str = ""

    def arguments(self, of_set: str = "set") -> dict[str, str]:
        """Return the arguments that are there, with the names that a client has for them."""
        return {of_set: self.set_spec} if self.set_spec else {}


def _held(instance: Path, wanted: Wanted) -> set[tuple[str, bool]]:
    """Return (identifier, is deleted) of every record of a list, read without the protocol."""
    selection = Selection(wanted.metadata_prefix, wanted.set_spec or None)
    with closing(open_store(instance)) as store, store.view() as view:
        page = view.page(selection, None, 10_000)
        assert page.next is None
    return {_identity(content) for content in page.records}


def _identity(content: bytes) -> tuple[str, bool]:
    header = content.partition(b"</header>")[0]
    identifier = header.partition(b"<identifier>")[2].partition(b"</identifier>")[0]
    return identifier.decode(), b'status="deleted"' in header


def _by_sickle(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    harvester = getattr(sickle.Sickle(url), wanted.verb)
    for record in harvester(metadataPrefix=wanted.metadata_prefix, **wanted.arguments()):
        header = getattr(record, "header", record)
        yield header.identifier, header.deleted


def _by_scythe(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    with oaipmh_scythe.Scythe(url) as scythe:
        harvester = scythe.list_records if wanted.verb == "ListRecords" else scythe.list_identifiers
        arguments: dict[str, Any] = {**wanted.arguments("set_")}
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
    pytest.param(_by_sickle, id="sickle"),
    pytest.param(_by_scythe, id="oaipmh-scythe"),
    pytest.param(_by_http_oai, id="HTTP-OAI", marks=pytest.mark.needs("HTTP::OAI")),
)


LISTS = (
    Wanted(),
    Wanted(metadata_prefix="oai_didl"),
    Wanted(verb="ListIdentifiers", metadata_prefix="oai_didl"),
    Wanted(set_spec="source:corpus"),
)


@pytest.fixture(scope="module")
def url(instance: Path) -> Iterator[str]:
    with live.served(instance, oai_page_size=60, serve_workers=1) as server:
        yield server.url


@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(url: str, instance: Path, client: Client) -> None:
    for wanted in LISTS:
        harvested = list(client(url, wanted))
        assert len(harvested) == len(set(harvested)) > RECORDS // 2, wanted
        assert set(harvested) == _held(instance, wanted), wanted
        assert wanted.set_spec or any(is_deleted for _, is_deleted in harvested)
