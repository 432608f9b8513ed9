"""The command `gateway`, run in this process over an instance in a temporary folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import main
from gateway.core import finding
from gateway.core.model import Format, ItemChange, Publication, Record, Source
from gateway.core.permissions import private
from gateway.core.settings import load
from gateway.ops import health
from gateway.search.indexing import make
from tests.opening import open_store


@pytest.fixture(autouse=True)
def synchronized(monkeypatch) -> None:
    """Let NTP keep the clock, as the kernel of this machine may or may not say."""
    monkeypatch.setattr(health, "is_synchronized", lambda: True)


@pytest.fixture(autouse=True)
def alone(monkeypatch) -> None:
    """Let `gateway check` not start `harvester check`, which takes a second; `tests/commands` does."""
    monkeypatch.setattr(finding, "of_harvester", lambda _: ())


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "instance"


@pytest.fixture
def gateway(folder) -> Callable[..., Result]:
    """Return a function that runs `gateway --instance FOLDER` with more words; keywords are its environment."""

    def run(*words: str, **environment: str) -> Result:
        return CliRunner().invoke(main, ["--instance", str(folder), *words], env=environment)

    return run


@pytest.fixture
def publish(folder) -> Callable[..., None]:
    """Return a function that publishes one record, and completes the search index as every command does."""

    def write(*, is_indexed: bool = True) -> None:
        store = open_store(folder)
        store.add_source(Source("laro", "http://laro.example.org/oai"))
        store.add_format(Format("oai_dc", "http://example.org/oai_dc.xsd", "http://example.org/oai_dc/"))
        content = b"<record><header><identifier>oai:gateway.example.org:laro/1</identifier></header></record>"
        record = Record("oai_dc", b"digest", False, content)
        change = ItemChange("1", "oai:gateway.example.org:laro/1", False, (), (), (record,))
        store.publish(store.intend(), Publication("laro", (change,)))
        store.close()
        if is_indexed:
            with private(folder):
                make(load(folder), is_anew=False)

    return write
