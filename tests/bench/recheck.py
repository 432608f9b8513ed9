"""How fast unchanged files are looked at again, on 200 hosts on loopback: with the usual pauses, and without them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.rechecking import HOSTS, rechecked, serving
from tests.bench.table import Row, main

_FILES = 10_000
_ROUNDS = 4
_PAUSE = 1.0  # seconds between two requests to a host, as `discover_delay_seconds` is


def rows(records: int) -> Iterator[Row]:
    """Measure two rounds with pauses, and four without: the first and the fourth fetch every file whole."""
    count = min(_FILES, records)
    with serving() as port:
        with tempfile.TemporaryDirectory() as folder:
            polite = rechecked(Path(folder), port, count, 2, _PAUSE)
        with tempfile.TemporaryDirectory() as folder:
            rounds = rechecked(Path(folder), port, count, _ROUNDS, 0.0)
    assert all(one["unchanged"] == count for one in (*polite, *rounds)), (polite, rounds)
    whole, conditional = (
        sum(one["seconds"] for one in rounds if one["is_whole"] is is_whole) / 2 for is_whole in (True, False)
    )
    note = f"{HOSTS} hosts with a pause of {_PAUSE:g} s each: at most {HOSTS * 60:,}"
    yield Row("files looked at in a minute, unchanged", 60 * count / polite[1]["seconds"], 10_000, True, note=note)
    yield Row("the same without pauses, conditional", 60 * count / conditional, 10_000, True)
    yield Row("the same without pauses, whole", 60 * count / whole, 10_000, True)
    yield Row("memory of the process after four rounds", rounds[-1]["memory"], 100, unit=" MiB")
    growth = rounds[-1]["memory"] - rounds[1]["memory"]
    yield Row("its growth from the second round to the fourth", growth, 5, unit=" MiB")
    yield Row("processor seconds per 1,000 files", 1000 * rounds[1]["cpu"] / count, 4, unit=" s")


if __name__ == "__main__":
    main(rows, _FILES)
