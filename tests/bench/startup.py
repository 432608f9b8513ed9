"""How long a person waits for help."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from statistics import median

from tests.bench.table import Row, main
from tests.live import COMMANDS

_ROUNDS = 10


def rows(_records: int) -> Iterator[Row]:
    """Measure `harvester --help`."""
    times = []
    for _ in range(_ROUNDS):
        started = time.monotonic()
        subprocess.run([COMMANDS / "harvester", "--help"], check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - started)
    yield Row("harvester --help", median(times), 0.3, unit=" s", note=f"median of {_ROUNDS}")


if __name__ == "__main__":
    main(rows)
