"""An instance whose pages are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page_house import House, opened
from tests.publish.desk import make_databases


@pytest.fixture
def settings() -> dict[str, Any]:
    """Return the settings of the instance; a test may give others."""
    return {}


@pytest.fixture
def house(tmp_path: Path, ready_made: Callable[..., None], settings: dict[str, Any]) -> Iterator[House]:
    ready_made(tmp_path, make_databases)
    with opened(tmp_path, **settings) as house:
        yield house
