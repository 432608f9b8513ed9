"""Databases that are copied and locked as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.store.database_files import unused


def test_database_that_cannot_be_opened_is_an_error_of_the_store(tmp_path: Path):
    with pytest.raises(StoreError, match=r"store\.sqlite"), unused(tmp_path / "missing" / "store.sqlite"):
        pass
