"""An instance with the sample's works, and the search for them over a web of the tests' own."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from click.testing import CliRunner
from lxml import etree

from gateway.cli.main import main as gateway
from gateway.core.settings import load
from gateway.core.xmltext import DIDL
from gateway.fulltext.release import Releaser
from harvester.cli import main as harvester
from harvester.fulltext.pdf import extraction, reader
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import steps
from tests.fulltext.web import RecordedWeb
from tests.http.server import server, start  # noqa: F401 - fixtures
from tests.opening import open_discovery, open_inbox, open_store

NAME = "laro"
_ONE_FILE = Lock()  # PDFium is not made for threads


@cache
def _read(engine: str, data: bytes) -> tuple[int, bytes]:
    try:
        return 0, json.dumps(reader._read(engine, data)).encode()
    except reader._Encrypted:
        return reader.ENCRYPTED, b""
    except Exception:  # noqa: BLE001 - as the process of the reader does
        return reader.BROKEN, b""


@pytest.fixture
def quick_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read PDFs in this process, and each once: the process that is started for a file takes a third of a second."""

    def child(engine: str, data: bytes, _seconds: float) -> tuple[int, bytes]:
        with _ONE_FILE:
            return _read(engine, data)

    monkeypatch.setattr(extraction, "_child", child)


def _done(command, folder: Path, *arguments: str) -> str:
    result = CliRunner().invoke(command, ["--instance", str(folder), *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def folder(tmp_path: Path, sample_source: str, ready_made: Callable[..., None]) -> Path:
    """Return an instance folder into which the sample was harvested; it is made once and copied."""
    ready_made(tmp_path, _harvested(sample_source))
    return tmp_path


_MADE: dict[str, Callable[[Path], None]] = {}


def _harvested(url: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        _done(gateway, folder, "init", "--domain", "g.example.org")
        _done(harvester, folder, "source", "add", NAME, url)
        _done(harvester, folder, "run", NAME)

    return _MADE.setdefault(url, make)


class Search:
    """The search for the works of an instance, with a clock that stands where it is put."""

    def __init__(self, folder: Path, web: RecordedWeb, **options: Any) -> None:
        self.now = 1_800_000_000
        self.web = web
        self.store = open_store(folder)
        self.discovery = open_discovery(folder)
        self.inbox = open_inbox(folder)
        self.settings = load(folder, environ={}, options={"discover_email": "librarian@library.test", **options})
        self.work = FullTextSearch(self.store, self.discovery, web, self.settings, steps(), lambda: float(self.now))

    def run(self, *sources: str, **options) -> dict[str, str]:
        """Search, and return the outcomes by the upstream identifiers' last part."""
        self.work.enlist(sources or (NAME,))
        results = self.work.run(sources, **options)
        return {result.identifier.rpartition(":")[2]: str(result.searched.outcome) for result in results}

    def try_out(self, **options) -> dict[str, str]:
        """Search without writing anything down, and return the outcomes as `run` does."""
        results = self.work.try_out((NAME,), **options)
        return {result.identifier.rpartition(":")[2]: str(result.searched.outcome) for result in results}

    def release(self) -> int:
        """Publish what is decided and learned; return how many records were stamped."""
        return Releaser(self.store, self.inbox, self.discovery, self.settings).release()

    def didl(self, item: str) -> etree._Element:
        """Return the published DIDL of an item of the sample."""
        with self.store.view() as view:
            record = view.record(f"oai:g.example.org:laro/oai:laro.example.org:{item}", "oai_didl")
        return next(etree.fromstring(record.content).iter(f"{{{DIDL}}}DIDL"))

    def close(self) -> None:
        self.inbox.close()
        self.discovery.close()
        self.store.close()


@pytest.fixture
def searching(folder: Path, quick_reader: None) -> Iterator[Callable[..., Search]]:
    """Return a function that begins a search in the instance over a web."""
    begun: list[Search] = []

    def begin(web: RecordedWeb | None = None, **options: Any) -> Search:
        begun.append(Search(folder, web or RecordedWeb(has_recordings=False), **options))
        return begun[-1]

    yield begin
    for search in begun:
        search.close()
