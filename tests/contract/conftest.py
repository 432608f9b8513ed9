"""A furnished store and an inbox, made once, and what the contract tests write into them and read from them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gateway.core.model import Format, ItemChange, Key, Page, Payload, Publication, Record, Selection, Source
from gateway.store.base import Inbox, Store, View
from tests.clocks import Clocks
from tests.opening import open_inbox, open_store, open_users


@dataclass
class Harness:
    """A store with one source and two formats, and the short ways of a test to write into it and to read from it."""

    store: Store
    clocks: Clocks

    def publish(self, *changes: ItemChange, source: str = "laro", **more: Any) -> int:
        self.clocks.pass_seconds(1)
        return self.store.publish(self.store.intend(), self.publication(*changes, source=source, **more))

    def publication(self, *changes: ItemChange, source: str = "laro", **more: Any) -> Publication:
        return Publication(source, changes, **more)

    @contextmanager
    def view(self) -> Iterator[View]:
        with self.store.view() as view:
            yield view

    def page(self, selection: Selection, after: Key | None = None, limit: int = 1000) -> Page:
        with self.store.view() as view:
            return view.page(selection, after, limit)

    def count(self, selection: Selection) -> int:
        with self.store.view() as view:
            return view.count(selection)


def content(name: str, prefix: str, version: int, is_deleted: bool) -> bytes:
    """Return a `<record>` that tells what it is a version of."""
    if is_deleted:
        return f'<record><header status="deleted"><identifier>{name}</identifier></header></record>'.encode()
    header = f"<header><identifier>{name}</identifier></header>"
    return f"<record>{header}<metadata>".encode() + metadata(name, prefix, version) + b"</metadata></record>"


def metadata(name: str, prefix: str, version: int) -> bytes:
    """Return what a `<metadata>` of these records has."""
    return f"{prefix} of {name}, version {version}".encode()


def change(
    name: str,
    version: int = 1,
    *,
    sets: tuple[str, ...] = ("source:laro",),
    prefixes: tuple[str, ...] = ("oai_dc", "oai_didl"),
    deleted: tuple[str, ...] = (),
    is_deleted: bool = False,
    page: int = 1,
    identifier: str = "",
    source: str = "laro",
) -> ItemChange:
    """Return a change of the item `name`; `deleted` are the formats whose records are tombstones."""
    gone = prefixes if is_deleted else deleted
    records = []
    for prefix in prefixes:
        digest = blake2b(repr((name, prefix, version, sets, prefix in gone)).encode(), digest_size=16).digest()
        text = b"" if prefix in gone else metadata(name, prefix, version)
        facts = (len(text), sha256(text).digest()) if text else ()
        records.append(Record(prefix, digest, prefix in gone, content(name, prefix, version, prefix in gone), *facts))
    payload = Payload("oai_dc", page, 0, version.to_bytes(16, "big"), is_deleted)
    local = identifier or f"oai:gateway.example.org:{source}/{name}"
    return ItemChange(name, local, is_deleted, sets, (payload,), tuple(records))


@pytest.fixture
def make_change() -> Callable[..., ItemChange]:
    return change


@pytest.fixture
def record_content() -> Callable[..., bytes]:
    return content


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


def make(folder: Path, url: str = "") -> None:
    """Make a furnished store in a folder, or in a database."""
    clocks = Clocks()
    with closing(open_store(folder, url=url, create=True, clock=clocks.host())) as store:
        furnished(store, clocks)


def make_in_database(url: str) -> None:
    """Make a furnished store and an inbox in a database."""
    with TemporaryDirectory() as folder:
        make(Path(folder), url)
        for each in (open_inbox(Path(folder), url=url, create=True), open_users(Path(folder), url)):
            each.close()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, ready_made: Callable[..., None]) -> str:
    """Return the URL of a database with a furnished store and an inbox; it is empty for that of a folder."""
    if request.param == "sqlite":
        ready_made(tmp_path, make)
        return ""
    database: str = request.getfixturevalue("postgres")(make_in_database)
    return database


@pytest.fixture
def opened(tmp_path: Path, url: str, clocks: Clocks) -> Callable[..., Store]:
    """Return a function that opens the store of the test once more."""
    return partial(open_store, tmp_path, url=url, clock=clocks.host())


@pytest.fixture
def harness(opened: Callable[..., Store], clocks: Clocks) -> Iterator[Harness]:
    with closing(opened()) as store:
        yield Harness(store, clocks)


def furnished(store: Store, clocks: Clocks) -> Harness:
    """Add the source and the formats that most tests use."""
    store.add_source(Source("laro", "https://laro.example.org/oai"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    store.add_format(Format("oai_didl", "didl.xsd", "urn:didl"))
    return Harness(store, clocks)


@pytest.fixture
def inbox(tmp_path: Path, url: str) -> Iterator[Inbox]:
    with closing(open_inbox(tmp_path, url=url, create=True)) as inbox:
        yield inbox
