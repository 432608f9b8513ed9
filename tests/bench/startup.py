"""How long a person waits for a command that says little: processor time, and how often that of Python alone."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from gateway.core.statuses import Status
from tests import live
from tests.bench.runs import Row

_ROUNDS = 11


def rows(_records: int) -> Iterator[Row]:
    """Measure `--version`, `--help`, and `harvester status` on an instance of one source."""
    with tempfile.TemporaryDirectory() as folder:
        instance = live.instance(Path(folder), {"laro": ("http://127.0.0.1:9/oai", ("oai_dc",))})
        alone = _processors([sys.executable, "-c", "pass"])
        for limit, name, *words in (
            (0.15, "harvester", "--version"),
            (0.15, "gateway", "--version"),
            (0.15, "harvester", "--help"),
            (0.4, "harvester", "status"),
        ):
            seconds = _processors(live.command(name, instance, *words))
            note = f"median of {_ROUNDS}; {seconds / alone:.1f} times `python -c pass`"
            yield Row(f"{name} {' '.join(words)}, processor", seconds, limit, unit=" s", note=note)


def _processors(line: list[str]) -> float:
    spent = []
    for _ in range(_ROUNDS):
        before = getrusage(RUSAGE_CHILDREN)
        done = subprocess.run(line, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert done.returncode in (Status.SUCCEEDED, Status.WITH_ERRORS), line  # the source was never harvested
        after = getrusage(RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(spent)
