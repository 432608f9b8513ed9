"""What harvesting costs: a harvest into the store, both formats published, against sickle merely reading."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import sickle

from gateway.store.opening import open_store
from tests import live
from tests.bench.memory import Samples, sampled
from tests.bench.source import serving
from tests.bench.table import Row, main

# Sickle needs minutes for a million, and its rate does not depend on the number.
_COMPARED = 100_000


def rows(records: int) -> Iterator[Row]:
    """Measure the rate of both clients, then what a large harvest holds in memory."""
    compared = min(records, _COMPARED)
    with serving(compared) as source:
        theirs = _read_by_sickle(source, compared)
        ours, samples = _harvested(source, compared)
    note = f"{compared / ours:,.0f} and {compared / theirs:,.0f} records/s, {compared:,} records, processes and all"
    yield Row("harvest into the store, against sickle merely reading", theirs / ours, 0.8, is_least=True, note=note)
    if records > compared:
        with serving(records) as source:
            ours, samples = _harvested(source, records)
    note = f"{records / ours:,.0f} records/s; last quarter / second quarter: {samples.growth:.2f}"
    what = f"memory of each harvester process while {records:,} records pass"
    yield Row(what, samples.largest, 150, unit=" MiB", note=note)


def _read_by_sickle(source: str, records: int) -> float:
    """Return the seconds that sickle needs to read every record."""
    started = time.monotonic()
    read = sum(1 for _ in sickle.Sickle(source).ListRecords(metadataPrefix="oai_dc"))
    assert read == records, f"sickle read {read} of {records} records"
    return time.monotonic() - started


def _harvested(source: str, records: int) -> tuple[float, Samples]:
    """Return the seconds that `harvester run` needs, from its start to its end, and the memory it had."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = live.instance(Path(scratch), {"corpus": (source, ("oai_dc",))})
        started = time.monotonic()
        line = live.command("harvester", folder, "run", "corpus")
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process, sampled(process.pid) as samples:
            _, output = process.communicate()
        seconds = time.monotonic() - started
        assert process.returncode == 0, output
        with closing(open_store(folder)) as store:
            held = store.counts("corpus")["items"]
        assert held == records, f"{held} of {records} records are in the store"
    return seconds, samples


if __name__ == "__main__":
    main(rows)
