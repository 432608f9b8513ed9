"""The instance of these tests, its exports, and its loaded graph."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.graph import gathered


@pytest.fixture
def folder(tmp_path: Path, ready_made: Callable[..., None]) -> Path:
    """Return an instance folder; it is made once and copied."""
    ready_made(tmp_path / "instance", gathered.fill)
    return tmp_path / "instance"


@pytest.fixture
def export(folder: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that exports the graph, and returns the folder."""

    def made(format_: str) -> Path:
        gathered.done(folder, "graph", "export", str(tmp_path / format_), "--as", format_)
        return tmp_path / format_

    return made
