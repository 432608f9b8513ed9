"""The benches run, on a small corpus. Their figures are for people to judge on a quiet machine, not for a test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.bench.source import ROOT
from tests.bench.table import Row
from tests.live import unmeasured


@pytest.mark.slow
@pytest.mark.parametrize(
    "bench", ["serving", "depth", "incremental", "disk", "harvest", "parallel", "resourcesync", "solr", "startup"]
)
def test_bench_prints_its_figures(bench: str) -> None:
    line = [sys.executable, "-m", f"tests.bench.{bench}", "--records", "6000"]
    done = subprocess.run(line, cwd=ROOT, env=unmeasured(os.environ), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "keeps" in done.stdout or "BREAKS" in done.stdout


def test_row_keeps_its_limit_from_the_right_side() -> None:
    assert Row("a ratio", 0.2, 0.15, is_least=True).keeps
    assert not Row("a ratio", 0.1, 0.15, is_least=True).keeps
    assert Row("a time", 0.2, 0.3).keeps
    assert not Row("a time", 0.4, 0.3).keeps
