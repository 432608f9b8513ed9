"""Tests lie where the code lies that they test: a folder here is a package of the code, or one of a few others."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import ROOT

TESTS = ROOT / "tests"

# A folder here is a package of `gateway` or a room of `harvester`, and so are the folders in it. Further ones:
OTHERS = {
    "bench": "measurements, and tests of them",
    "contract": "what every backend and every format promises, through the protocols alone",
    "deploy": "the folder `deploy/`: guides, services, containers",
    "faults": "whole harvests of endpoints that have every fault we know of",
    "fuzz": "mutated input for the application and for every parser",
    "gateway_cli": "the commands of `gateway`, and the modules of it that they call",
    "golden": "published records, byte by byte",
    "publish": "the modules of `gateway` that publish, over a real store",
    "sample": "the sample that `make demo` and the tour use",
    "schemas": "the folder `schemas/`",
    "wild": "what real repositories answered",
}
# Folders that hold data or helpers of the tests beside them.
HELD = {"faults/quirks", "fulltext/answers", "fulltext/corpus", "fulltext/platforms", "schemas/answers"}


def _folders_of(root: Path) -> set[str]:
    """Return the folders that hold a file, at any depth; what Python has compiled is none."""
    files = [file.relative_to(root) for file in root.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return {str(folder) for file in files for folder in file.parents} - {"."}


def test_folders_of_tests_are_those_of_the_code_or_named_here() -> None:
    code = _folders_of(ROOT / "gateway") | _folders_of(ROOT / "harvester")
    with_tests = {str(file.parent.relative_to(TESTS)) for file in TESTS.rglob("test_*.py")} - {"."}
    assert with_tests - code - OTHERS.keys() == set()


def test_folders_without_tests_are_named_here() -> None:
    held = {folder for folder in _folders_of(TESTS) if not any((TESTS / folder).rglob("test_*.py"))}
    inside = {folder for folder in held if any(folder.startswith(f"{outer}/") for outer in HELD)}
    assert held - inside - HELD - OTHERS.keys() == set()


def test_nothing_is_named_here_that_is_not_there() -> None:
    assert {folder for folder in (*OTHERS, *HELD) if not (TESTS / folder).is_dir()} == set()


def test_every_room_of_the_harvester_has_its_tests() -> None:
    rooms = {folder for folder in _folders_of(ROOT / "harvester") if "/" not in folder}
    assert {room for room in rooms if not any((TESTS / room).rglob("test_*.py"))} == set()


def test_every_package_of_the_gateway_has_its_tests() -> None:
    # What `gateway/model/` holds are values; the tests of everything else make them.
    packages = {folder for folder in _folders_of(ROOT / "gateway") if "/" not in folder} - {"model"}
    assert {package for package in packages if not any((TESTS / package).rglob("test_*.py"))} == set()


def test_no_module_has_more_than_500_lines() -> None:
    """A longer one is about several things: divide it by meaning."""
    modules = [module for package in ("gateway", "harvester") for module in (ROOT / package).rglob("*.py")]
    assert [module.name for module in modules if len(module.read_text().splitlines()) > 500] == []
