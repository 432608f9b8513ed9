"""What a first harvest in windows costs and brings: one window after the other and four at once, against tokens."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gateway.store.opening import open_store
from tests import live
from tests.bench.corpus import WORKS
from tests.bench.source import serving
from tests.bench.table import Row, main

_LATENCY = 0.3  # seconds before every answer, as real endpoints have it
_SIZE = 100  # records of a page, as many repositories have it
_UNTIL = "until = '2024-12-31'\n"  # all that the source has: no window is planned for later years
_SLICED = f"{_UNTIL}slice = 'month'\n"


def rows(records: int) -> Iterator[Row]:
    """Measure the harvest of the same source in three ways."""
    records = min(records, WORKS)
    with serving(records, _LATENCY, _SIZE) as source:
        plain = _harvested(source, records, _UNTIL)
        one = _harvested(source, records, _SLICED)
        four = _harvested(source, records, f"{_SLICED}connections = 4\n")
    note = f"{records:,} records, pages of {_SIZE}, 300 ms each: {records / plain:,.0f} records/s by tokens"
    yield Row("rate in windows, one after the other, against plain tokens", plain / one, 0.9, is_least=True, note=note)
    note = f"{records / one:,.0f} records/s in windows of a month, {records / four:,.0f} in four of them at once"
    yield Row("rate in four windows at once, against plain tokens", plain / four, 2.5, is_least=True, note=note)


def _harvested(source: str, records: int, entry: str) -> float:
    """Return the seconds that `harvester run` needs, from its start to its end."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = live.instance(Path(scratch), {"corpus": (source, ("oai_dc",))})
        with (folder / "sources.toml").open("a") as sources:
            sources.write(entry)
        started = time.monotonic()
        done = subprocess.run(
            live.command("harvester", folder, "run", "corpus"), capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - started
        assert done.returncode == 0, done.stderr
        with closing(open_store(folder)) as store:
            held = store.counts("corpus")["items"]
        assert held == records, f"{held} of {records} records are in the store"
    return seconds


if __name__ == "__main__":
    main(rows)
