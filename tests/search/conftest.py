"""A store with an index, made once for all tests of a session."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.clocks import Clocks
from tests.opening import open_store
from tests.search.harness import Harness, make_store


def _furnish(folder: Path) -> None:
    make_store(folder, Clocks())


@pytest.fixture
def harness(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Harness]:
    ready_made(tmp_path, _furnish)
    clocks = Clocks()
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        yield Harness(tmp_path, clocks, store)
