"""The tiers of the tests, as CONTRIBUTING.md, the Makefile and CI have them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import ROOT, pytest_itemcollected
from tests.rows import each_row
from tests.tiers import COMMON, MORE


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


class _Item:
    """A test as far as the rules ask for it: its marks, and what it needs."""

    nodeid = "a"

    def __init__(self, path: Path, *marks: str, needs: str = "") -> None:
        self.path, self.marks, self.needs = path, set(marks), needs

    def get_closest_marker(self, name: str) -> object:
        return pytest.mark.share(one_in=4).mark if name in self.marks else None

    def iter_markers(self, _name: str) -> list[pytest.Mark]:
        return [pytest.mark.needs(self.needs).mark] if self.needs else []

    def add_marker(self, name: str) -> None:
        self.marks.add(name)


@pytest.mark.slow
@each_row(
    "shares, skips, words",
    [("", "", "8 passed, 1 skipped"), ("drawn", "forbidden", "2 passed, 6 deselected, 1 error")],
)
def test_ci_runs_a_share_and_forbids_skips(tmp_path: Path, shares: str, skips: str, words: str) -> None:
    assert "TEST_SKIPS=forbidden TEST_SHARES=drawn" in _text(".ci/run")
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.mark.slow\n@pytest.mark.share(one_in=4)\n"
        "@pytest.mark.parametrize('n', range(8))\ndef test_a(n): pass\n"
        "@pytest.mark.slow\n@pytest.mark.needs('no-such-program')\ndef test_b(): pass\n"
    )
    line = [sys.executable, "-m", "pytest", "-n0", "-q", "-m", "slow", "-p", "tests.conftest", str(tmp_path)]
    done = subprocess.run(
        [*line, "-c", str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"TEST_SHARES": shares, "TEST_SKIPS": skips},
    )
    assert words in done.stdout


def test_ci_installs_every_program_that_a_test_needs() -> None:
    """`ocfl-root.py` and schemathesis come from requirements-judges.lock, and axe-core by npm in the Makefile."""
    needs = re.compile(r'mark\.needs\((".*?")\)')
    marks = (mark for file in (ROOT / "tests").rglob("*.py") for mark in needs.findall(file.read_text("utf-8")))
    names = {name for mark in marks for name in re.findall(r'"([^"]+)"', mark) if not name.startswith("../shared")}
    installed = set(re.findall(r"(?m)^has(?:_perl_module)? (\S+) \|\|", _text(".ci/run")))
    assert "chromium" in names
    assert names - installed == {"ocfl-root.py", "axe-core", "schemathesis"}


def test_every_test_is_run_by_make_test_or_by_make_test_more(tmp_path: Path) -> None:
    """And no run passes by a test because its file is not even collected."""
    makefile, settings = _text("Makefile"), _text("pyproject.toml")
    assert f'-m "{MORE}"' in makefile
    assert f'"-m {COMMON}"' in settings
    files = {"quick": "", "slow": "pytestmark = pytest.mark.slow", "data": 'pytest.mark.needs("../shared/data")'}
    collected = {}
    for name, text in files.items():
        file = tmp_path / f"test_{name}.py"
        file.write_text(text)
        configs = [SimpleNamespace(option=SimpleNamespace(markexpr=selection)) for selection in (COMMON, MORE, "")]
        collected[name] = [not conftest.pytest_ignore_collect(file, config) for config in configs]  # type: ignore[arg-type]
    assert collected == {"quick": [True, False, True], "slow": [False, True, True], "data": [True, True, True]}
    item = _Item(tmp_path / "test_data.py", needs="../shared/data")
    pytest_itemcollected(item)  # type: ignore[arg-type]
    assert item.marks == {"reference"}
    for wrong in (_Item(tmp_path / "test_quick.py", "slow"), _Item(file, "share")):
        with pytest.raises(pytest.UsageError, match="make test"):
            pytest_itemcollected(wrong)  # type: ignore[arg-type]
