"""The tiers of the tests, as CONTRIBUTING.md, the Makefile and CI have them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import ROOT, pytest_itemcollected
from tests.tiers import SKIPS, may_skip, shared_out, too_long

WITHOUT_DATA = "because ../shared/data/oai is missing"


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


class _Item:
    """A test as far as the order asks for it."""

    def __init__(self, name: str, *marks: str) -> None:
        self.name, self.marks, self.path = name, marks, Path(name[0])

    def get_closest_marker(self, name: str) -> bool | None:
        return name in self.marks or None


class _Report:
    """A report as far as its duration is asked for."""

    when = "call"

    def __init__(self, nodeid: str, duration: float, *marks: str) -> None:
        self.nodeid, self.duration, self.keywords = nodeid, duration, marks


# --- skips ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reason", [WITHOUT_DATA, "because ../shared is missing", "because nginx is missing", "anything"]
)
def test_where_skips_are_forbidden_none_is_excused(reason: str) -> None:
    assert not may_skip(reason, "forbidden", has_reference_data=False)
    assert may_skip(reason, "", has_reference_data=False)


@pytest.mark.parametrize(
    ("reason", "is_excused"),
    [
        (WITHOUT_DATA, True),
        ("because ../shared is missing", True),
        ("because ../sharedness is missing", False),
        ("because nginx is missing", False),
        ("because IPv6 is missing", False),
        ("", False),
    ],
)
def test_a_clone_alone_skips_what_needs_the_reference_data_and_nothing_else(reason: str, is_excused: bool) -> None:
    assert may_skip(reason, "reference-data", has_reference_data=False) is is_excused
    assert not may_skip(reason, "reference-data", has_reference_data=True)


@pytest.mark.slow
def test_an_unknown_word_in_test_skips_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SKIPS", "forbiden")
    line = [sys.executable, "-m", "pytest", "-n0", "tests/test_names.py"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "TEST_SKIPS must be one of forbidden, reference-data, or nothing." in done.stderr


def test_ci_installs_every_program_that_a_test_needs() -> None:
    """`ocfl-root.py` and schemathesis come from requirements-judges.lock, and axe-core by npm in the Makefile."""
    needs = re.compile(r'mark\.needs\((".*?")\)')
    marks = (mark for file in (ROOT / "tests").rglob("*.py") for mark in needs.findall(file.read_text("utf-8")))
    names = {name for mark in marks for name in re.findall(r'"([^"]+)"', mark) if not name.startswith("../shared")}
    installed = set(re.findall(r"(?m)^has(?:_perl_module)? (\S+) \|\|", _text(".ci/run")))
    assert "chromium" in names
    assert names - installed == {"ocfl-root.py", "axe-core", "schemathesis"}


# --- where they write -------------------------------------------------------------------------------------------


class _Config:
    """The options of a run as far as the place where tests write asks for them."""

    def __init__(self, markexpr: str, basetemp: str | None = None) -> None:
        self.option = SimpleNamespace(markexpr=markexpr, basetemp=basetemp)


@pytest.mark.parametrize(
    ("config", "free", "is_in_memory"),
    [
        (_Config("not slow"), 2_000_000_000, True),
        (_Config("not slow"), 500_000_000, False),
        (_Config("not long"), 9_000_000_000, True),
        (_Config("not long"), 2_000_000_000, False),
        (_Config("long or reference"), 9_000_000_000, True),
        (_Config("not long", "elsewhere"), 9_000_000_000, False),
    ],
)
def test_every_tier_writes_into_memory_where_there_is_enough_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, config: _Config, free: int, is_in_memory: bool
) -> None:
    """A disk takes milliseconds for each commit, and slow tests commit a hundred thousand times."""
    monkeypatch.setattr(conftest, "MEMORY", tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    monkeypatch.delenv("PYTEST_DEBUG_TEMPROOT", raising=False)
    conftest.pytest_configure(config)  # type: ignore[arg-type]
    place = os.environ.pop("PYTEST_DEBUG_TEMPROOT", None)
    assert place == (str(tmp_path) if is_in_memory else None)


# --- order and length -------------------------------------------------------------------------------------------


def test_every_process_begins_with_long_tests_and_ends_with_everyday_ones() -> None:
    items = [_Item(f"e{n}") for n in range(7)] + [_Item(f"{file}{n}", "slow") for file in "abcd" for n in range(2)]
    items += [_Item("a9", "long", "slow"), _Item("b9", "long", "slow"), _Item("a8", "long", "slow")]
    names = [item.name for item in shared_out(items, 2)]  # type: ignore[arg-type]
    assert names[:9] == ["a9", "a8", "a0", "a1", "c0", "c1", "e0", "e1", "e2"]
    assert names[9:] == ["b9", "b0", "b1", "d0", "d1", "e3", "e4", "e5", "e6"]


@pytest.mark.parametrize("processes", [1, 2, 3, 9])
@pytest.mark.parametrize("mark", ["long", "slow", "unmeasured"])
def test_no_test_is_lost_or_repeated_when_processes_share_them(processes: int, mark: str) -> None:
    items = [_Item(f"{n % 3}{n}", *([mark] if n % 2 else [])) for n in range(14)]
    assert sorted(item.name for item in shared_out(items, processes)) == sorted(item.name for item in items)  # type: ignore[arg-type]


def test_a_test_that_takes_longer_than_its_tier_allows_is_named_at_the_end() -> None:
    reports = [
        _Report("a", 3.0),
        _Report("b", 3.0, "slow"),
        _Report("c", 30.0, "slow"),
        _Report("d", 99.0, "slow", "long"),
    ]
    assert too_long(reports) == [" 30.0 s, not marked `long`: c", "  3.0 s, not marked `slow`: a"]  # type: ignore[arg-type]


class _Collected:
    """A test while it is collected: its marks, and the names of what it needs."""

    def __init__(self, *needs: str, is_long: bool = False) -> None:
        self.needs, self.marks = needs, {"long"} if is_long else set()

    def get_closest_marker(self, name: str) -> bool | None:
        return name in self.marks or None

    def iter_markers(self, _name: str) -> list[pytest.Mark]:
        return [pytest.mark.needs(*self.needs).mark]

    def add_marker(self, name: str) -> None:
        self.marks.add(name)


@pytest.mark.parametrize(
    ("item", "is_here", "is_in_the_clone"),
    [
        (_Collected(), False, True),
        (_Collected("nginx"), False, True),
        (_Collected("openssl", "../shared/xsd"), True, True),
        (_Collected("../shared", is_long=True), True, False),
        (_Collected(is_long=True), True, False),
    ],
)
def test_ci_runs_every_test_here_or_in_the_clone(item: _Collected, is_here: bool, is_in_the_clone: bool) -> None:
    """What the clone runs and has no data for is run here: `make test-more` here, `make test` there."""
    assert '-m "long or reference"' in _text("Makefile")
    assert '$(call TESTED,"not long"' in _text("Makefile")
    pytest_itemcollected(item)  # type: ignore[arg-type] # what the hook asks for
    assert ("long" in item.marks or "reference" in item.marks, "long" not in item.marks) == (is_here, is_in_the_clone)


# --- what people read -------------------------------------------------------------------------------------------


def test_every_mark_is_described_for_contributors() -> None:
    markers = tomllib.loads(_text("pyproject.toml"))["tool"]["pytest"]["ini_options"]["markers"]
    names = [marker.partition(":")[0] for marker in markers]
    assert [name for name in names if f"* `{name}`: " not in _text("CONTRIBUTING.md")] == []


def test_every_word_of_test_skips_is_described_for_contributors() -> None:
    assert [word for word in SKIPS if word and f"`{word}`" not in _text("CONTRIBUTING.md")] == []


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_every_target_of_make_that_is_named_exists(file: str) -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", _text("Makefile")))
    named = set(re.findall(r"(?:`|\$ |step )make ([a-z][a-z-]*)", _text(file)))
    assert named
    assert named - targets == set()
