"""A site, an instance that harvests it, and what came of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.core.model import Cursor, Selection
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import Instance, opened
from harvester.harvest.named_records import StoredHoldings
from harvester.harvest.run_lifecycle import RunOptions, RunResult, source_options
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.messages import Fetched, Request
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.sources import Finding
from harvester.sources.resourcesync.audit import audit
from tests.opening import open_inbox, open_store
from tests.sources.resourcesync.site import SETTINGS, Site, served


def make_instance(folder: Path) -> None:
    (folder / "config.toml").write_text(SETTINGS)
    open_store(folder, create=True).close()
    open_inbox(folder, create=True).close()


@pytest.fixture
def site() -> Iterator[Site]:
    with served(Site()) as site:
        yield site


@pytest.fixture
def house(tmp_path: Path, ready_made: Callable[[Path, Callable[[Path], None]], None]) -> Iterator[Instance]:
    ready_made(tmp_path / "instance", make_instance)
    with opened(str(tmp_path / "instance")) as house:
        yield house


@pytest.fixture
def run(house: Instance, site: Site) -> Callable[..., RunResult]:
    """Return a function that runs the source `fake`, and returns the run and its status.

    The run is interrupted before it asks for an address that ends with `stops_before`.
    """

    def run(
        path: str = "", run_options: RunOptions | None = None, stops_before: str = "", **fields: object
    ) -> RunResult:
        entry = SourceEntry("fake", site.url + path, "resourcesync", **fields)  # type: ignore[arg-type]
        house.sources.file.write_text(f'[fake]\nurl = "{entry.url}"\nkind = "resourcesync"\n')
        with fetcher(house.settings, entry, Stop()) as fetch:

            def asked(request: Request) -> Fetched:
                if stops_before and request.url.endswith(stops_before):
                    raise StopAsked("Somebody asked to stop.")
                return fetch(request)

            return pipeline.run(
                SourceSession(house, entry, kind_of("resourcesync"), asked, run_options or RunOptions())
            )

    return run


@pytest.fixture
def audited(house: Instance, site: Site) -> Callable[..., list[Finding]]:
    """Return a function that audits the source `fake`."""

    def audited(path: str = "/caps.xml") -> list[Finding]:
        entry = SourceEntry("fake", site.url + path, "resourcesync")
        held = StoredHoldings(house.store, house.inbox, entry.name)
        options = replace(source_options(entry, house.settings, 0, RunOptions()), holdings=held)
        with fetcher(house.settings, entry, Stop()) as fetch:
            return list(audit(options, Cursor(entry.name, "oai_dc"), fetch))

    return audited


@pytest.fixture
def published(house: Instance, site: Site) -> Callable[..., dict[str, str]]:
    """Return a function that returns the records that we expose, by the names of their files; empty: deleted."""

    def published(prefix: str = "oai_dc", set_spec: str | None = None) -> dict[str, str]:
        records = {}
        with house.store.view() as view:
            for content in view.page(Selection(prefix, set_spec), None, 100_000).records:
                text = content.decode()
                identifier = text.partition("<identifier>")[2].partition("</identifier>")[0]
                name = identifier.rpartition(f"{site.url.rpartition(':')[2]}/")[2]
                records[name] = "" if 'status="deleted"' in text else text
        return records

    return published


@pytest.fixture
def titles(published: Callable[..., dict[str, str]]) -> Callable[..., dict[str, str]]:
    """Return a function that returns the titles of what we expose, by the names of the files."""

    def titles(**wanted: str) -> dict[str, str]:
        records = published(**wanted)
        return {name: text.partition("<dc:title>")[2].partition("</dc:title>")[0] for name, text in records.items()}

    return titles
