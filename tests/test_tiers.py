"""The tiers of the tests, as CONTRIBUTING.md, the Makefile and CI have them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import ROOT, pytest_itemcollected
from tests.tiers import MORE, SKIPS, drawn, may_skip, shared_out, too_long

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


# --- shares -----------------------------------------------------------------------------------------------------


def _cases(*names: str, one_in: int = 0) -> list[pytest.Item]:
    """Return tests with these names; `one_in`: of so many, one is drawn."""
    mark = pytest.mark.share(one_in=one_in).mark if one_in else None
    return [SimpleNamespace(nodeid=name, get_closest_marker=lambda _: mark) for name in names]  # type: ignore[misc]


def test_of_each_block_of_cases_one_is_drawn_and_other_tests_stay() -> None:
    """So every page is tried at one width, and all are tried in time."""
    items = _cases("plain") + _cases(*(f"pages[{page}-{width}]" for page in range(50) for width in "abcd"), one_in=4)
    chosen = [[item.nodeid for item in drawn(items, seed)] for seed in range(40)]
    for names in chosen:
        assert names[0] == "plain"
        assert [name.partition("-")[0] for name in names[1:]] == [f"pages[{page}" for page in range(50)]
    assert {name for names in chosen for name in names} == {item.nodeid for item in items}
    assert [item.nodeid for item in drawn(items, 7)] == chosen[7]


def test_a_test_of_one_case_is_drawn_by_one_seed_of_several() -> None:
    items = _cases("a", one_in=3) + _cases("b", one_in=3)
    counts = [len(drawn(items, seed)) for seed in range(300)]
    assert 150 < sum(counts) < 250
    assert set(counts) == {0, 1, 2}


def test_a_share_of_what_counts_for_coverage_cannot_be_run() -> None:
    """The coverage of `make test` may not depend on a seed."""
    for marks, is_refused in (({"share"}, True), ({"share", "long"}, False), ({"share", "unmeasured"}, False)):
        item = _Collected(marks=marks)
        with pytest.raises(pytest.UsageError, match="is measured") if is_refused else nullcontext():
            pytest_itemcollected(item)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("shares", "count"), [("", 8), ("drawn", 2)])
def test_ci_runs_a_share_and_everybody_else_everything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shares: str, count: int
) -> None:
    assert "TEST_SHARES=drawn" in _text(".ci/run")
    monkeypatch.setenv("TEST_SHARES", shares)
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.mark.long\n@pytest.mark.share(one_in=4)\n"
        "@pytest.mark.parametrize('n', range(8))\ndef test_a(n): pass\n"
    )
    line = [sys.executable, "-m", "pytest", "-n0", "-q", "-m", "long", "-p", "tests.conftest", str(tmp_path)]
    done = subprocess.run([*line, "-c", str(ROOT / "pyproject.toml")], capture_output=True, text=True, check=False)
    assert re.search(rf"\b{count} passed", done.stdout), done.stdout


def test_an_unknown_word_in_test_shares_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SHARES", "all")
    with pytest.raises(pytest.UsageError, match="TEST_SHARES must be drawn, or nothing"):
        conftest.pytest_configure(_Config("not slow"))  # type: ignore[arg-type]


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

    nodeid, path = "test", Path(__file__)

    def __init__(self, *needs: str, is_long: bool = False, marks: Iterable[str] = ()) -> None:
        self.needs, self.marks = needs, {*marks, *(["long"] if is_long else [])}

    def get_closest_marker(self, name: str) -> bool | None:
        return name in self.marks or None

    def iter_markers(self, name: str = "") -> list[pytest.Mark]:
        needs = pytest.mark.needs(*self.needs).mark
        return [needs] if name else [needs, *(getattr(pytest.mark, mark).mark for mark in self.marks)]

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
    assert f'-m "{MORE}"' in _text("Makefile")
    assert '$(call TESTED,"not long"' in _text("Makefile")
    pytest_itemcollected(item)  # type: ignore[arg-type] # what the hook asks for
    assert ("long" in item.marks or "reference" in item.marks, "long" not in item.marks) == (is_here, is_in_the_clone)


@pytest.mark.parametrize(
    ("text", "is_ignored"),
    [("pytest.mark.long", False), ('needs("../shared/data")', False), ("pytest.mark.slow", True), ("a long one", True)],
)
def test_files_without_long_tests_and_reference_data_are_not_collected_for_them(
    tmp_path: Path, text: str, is_ignored: bool
) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(text)
    assert bool(conftest.pytest_ignore_collect(file, _Config(MORE))) is is_ignored  # type: ignore[arg-type]
    assert not conftest.pytest_ignore_collect(file, _Config("not long"))  # type: ignore[arg-type]
    assert not conftest.pytest_ignore_collect(tmp_path / "conftest.py", _Config(MORE))  # type: ignore[arg-type]


def test_a_long_test_in_a_file_that_is_not_collected_for_them_stops_every_run(tmp_path: Path) -> None:
    item = _Collected(is_long=True)
    item.path = tmp_path / "test_b.py"
    item.path.write_text("from elsewhere import pytestmark")
    with pytest.raises(pytest.UsageError, match="make test-more"):
        pytest_itemcollected(item)  # type: ignore[arg-type]


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
