"""The benches run, on a small corpus. Their figures are for people to judge on a quiet machine, not for a test."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bench.runs import ROOT

# How many records are enough, by bench: some wait before every page as real endpoints do.
_OF_A_STORE = "compaction decide graph lists many_sources page_storm pages review_list search serving slow_clients"
_OTHERS = "startup harvest hub lint_resourcesync mirror rebuild recheck resourcesync"
RECORDS = dict.fromkeys(_OF_A_STORE.split(), 1000) | dict.fromkeys(_OTHERS.split(), 200)


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.share(one_in=7)
@pytest.mark.parametrize("bench", RECORDS)
def test_bench_prints_its_figures(bench: str) -> None:
    line = [sys.executable, "-m", "tests.bench", bench, "--records", str(RECORDS[bench])]
    done = subprocess.run(line, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "keeps" in done.stdout or "BREAKS" in done.stdout
