"""The command `gateway`, run in this process over an instance in a temporary folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import main


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "instance"


@pytest.fixture
def gateway(folder) -> Callable[..., Result]:
    """Return a function that runs `gateway --instance FOLDER` with more words; keywords are its environment."""

    def run(*words: str, **environment: str) -> Result:
        return CliRunner().invoke(main, ["--instance", str(folder), *words], env=environment)

    return run
