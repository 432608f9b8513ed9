"""What the tests of publication share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.publish.desk import Desk, make_databases


@pytest.fixture
def desk(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Desk]:
    ready_made(tmp_path, make_databases)
    made = Desk(tmp_path)
    with closing(made.store), closing(made.inbox):
        yield made
