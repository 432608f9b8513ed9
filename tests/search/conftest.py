"""A store with an index, made once for all tests of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gateway.store.opening import open_store
from tests.clocks import Clocks
from tests.search.desk import Desk, make_store


def _furnish(folder: Path) -> None:
    make_store(folder, Clocks())


@pytest.fixture
def desk(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Desk]:
    ready_made(tmp_path, _furnish)
    clocks = Clocks()
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        yield Desk(tmp_path, clocks, store)
