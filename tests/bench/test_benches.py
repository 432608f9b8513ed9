"""The benches run, on a small corpus. Their figures are for people to judge on a quiet machine, not for a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.doubles import serving
from tests.bench.runs import ROOT
from tests.bench.searching import searched
from tests.bench.table import Row
from tests.rows import each_row

# How many records are enough, by bench: some wait before every page as real endpoints do.
SHORT = {"startup": 1000, "review_list": 1000}
_OF_THOUSANDS = (
    "compaction decide graph harvest hub lint_resourcesync lists page_storm pages rebuild resourcesync review_clicks"
    " search serving slow_clients"
)
LONG = dict.fromkeys(_OF_THOUSANDS.split(), 1000) | dict.fromkeys(("clean", "mirror", "recheck"), 200)
_LONG = [pytest.param(bench, marks=[pytest.mark.slow, pytest.mark.share(one_in=3)]) for bench in LONG]


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.parametrize("bench", [*SHORT, *_LONG])
def test_bench_prints_its_figures(bench: str) -> None:
    records = {**SHORT, **LONG}[bench]
    line = [sys.executable, "-m", f"tests.bench.{bench}", "--records", str(records)]
    done = subprocess.run(line, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "keeps" in done.stdout or "BREAKS" in done.stdout


@pytest.mark.slow
def test_a_search_over_the_doubles_asks_nothing_twice(tmp_path: Path) -> None:
    with serving(0.0) as port:
        first = searched(tmp_path, port, 4, 2)
        second = searched(tmp_path, port, 4, 2)
        again = searched(tmp_path, port, 4, 2, is_again=True)
    assert [figures["found"] for figures in (first, second, again)] == [4, 0, 4]
    assert first["requests"] >= 4 * 5
    assert second["requests"] == again["requests"] == 0


@each_row(
    "row, keeps",
    [
        (Row("a ratio", 0.2, 0.15, is_least=True), True),
        (Row("a ratio", 0.1, 0.15, is_least=True), False),
        (Row("a time", 0.2, 0.3), True),
        (Row("a time", 0.4, 0.3), False),
    ],
)
def test_row_keeps_its_limit_from_the_right_side(row: Row, keeps: bool) -> None:
    assert row.keeps is keeps
