"""What the tests of the SQLite store share: clocks that stand still, and a short way to a furnished store."""

from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from gateway.core.model import Format, ItemChange, Payload, Record, Source
from gateway.store.store import Store
from tests.clocks import Clocks


def change(name: str, version: int = 1, sets: tuple[str, ...] = ("source:laro",)) -> ItemChange:
    """Return a change of the item `name`, with one record that says its version."""
    digest = f"{name} {version} {sets}".encode()
    content = f"<record><header></header>{name} {version}</record>".encode()
    record = Record("oai_dc", digest, False, content, len(digest), sha256(digest).digest())
    payload = Payload("oai_dc", 1, 0, digest, False)
    return ItemChange(name, f"oai:laro/{name}", False, sets, (payload,), (record,))


def furnished(store: Store) -> Store:
    """Add the source and the format that the changes above need."""
    store.add_source(Source("laro", "https://laro.example.org/oai"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    return store


@pytest.fixture
def make_change() -> Callable[..., ItemChange]:
    return change


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def open_furnished(path: Path, clocks: Clocks) -> Iterator[Callable[..., Store]]:
    """Return what opens the store of `path`, furnished, with any further arguments; all are closed with the test."""
    stores: list[Store] = []

    def open_(**more: Any) -> Store:
        stores.append(Store(path, create=True, clock=clocks.host(), **more))
        return furnished(stores[-1])

    yield open_
    for store in stores:
        store.close()


@pytest.fixture
def store(path: Path, clocks: Clocks) -> Iterator[Store]:
    with closing(Store(path, create=True, clock=clocks.host())) as store:
        yield furnished(store)
