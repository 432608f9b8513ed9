"""What the tests of publication share."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.publish.harness import Harness, make_databases


@pytest.fixture
def harness(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Harness]:
    ready_made(tmp_path, make_databases)
    made = Harness(tmp_path)
    with closing(made.store), closing(made.inbox):
        yield made
