"""The source distribution: it has every file of the project, and what is built and tested from it works."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.live import unmeasured

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a clone knows its files"),
]

_OF_SETUPTOOLS = {"PKG-INFO", "setup.cfg"}


def _built(folder: Path, what: str, into: Path) -> Path:
    """Build `sdist` or `wheel` of the project in a folder; return its file."""
    code = f"from setuptools import build_meta as b; print(b.build_{what}({str(into)!r}))"
    line = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, env=unmeasured(os.environ))
    assert done.returncode == 0, done.stderr
    return into / done.stdout.splitlines()[-1]


def _files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project without what was made in its folder."""
    folder = tmp_path_factory.mktemp("copied") / "project"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in (name for name in listed.splitlines() if (ROOT / name).is_file()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def sdist(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file that is the source distribution."""
    return _built(project, "sdist", tmp_path_factory.mktemp("built"))


@pytest.fixture
def unpacked(sdist: Path, tmp_path: Path) -> Path:
    """Return the folder that the source distribution unpacks to."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked")
    (root,) = (tmp_path / "unpacked").iterdir()
    return root


def test_the_source_distribution_has_every_file_of_the_project(project: Path, unpacked: Path) -> None:
    of_setuptools = {name for name in _files(unpacked) if name in _OF_SETUPTOOLS or ".egg-info/" in name}
    wanted = {name for name in _files(project) if ".egg-info/" not in name}
    assert _files(unpacked) - of_setuptools == wanted


def test_a_wheel_of_the_source_distribution_has_all_that_commands_read(unpacked: Path, tmp_path: Path) -> None:
    files = {name for name in _files(unpacked) if name.startswith(("gateway/", "harvester/"))}
    schemas = {file.name for file in (unpacked / "schemas").glob("*.xsd")}
    with zipfile.ZipFile(_built(unpacked, "wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())
    assert {name for name in files if not name.endswith(".md")} - names == set()
    assert {Path(name).name for name in names if ".data/data/share/oai-gateway/schemas/" in name} == schemas
