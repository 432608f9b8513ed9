"""What a mirror costs: a run that finds nothing changed, files that come late, and a file that no memory could hold."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests import live
from tests.bench.mirror_source import Offer, asked, serving
from tests.bench.runs import Done, run
from tests.bench.table import Row, main

_OBJECTS = 100_000
_FILES = 1000
_LATENCY_SECONDS = 0.05
_LARGE_BYTES = 5000  # for each record of the corpus: five gigabytes for a million
_SETTINGS = {"fetch_delay_seconds": 0, "fetch_backoff_seconds": 0.01}


class _Done(NamedTuple):
    """One run of `harvester mirror`."""

    run: Done
    requests: int
    receipt: dict[str, dict[str, int]]


def rows(records: int) -> Iterator[Row]:
    """Measure the runs that find nothing changed, then files from one host and from ten, then a very large one."""
    yield from _unchanged(min(records // 10, _OBJECTS))
    for hosts, least in ((1, 20), (10, 60)):
        yield _late(max(40, min(records // 500, _FILES)), hosts, least)
    yield from _large(records * _LARGE_BYTES)


def _unchanged(objects: int) -> Iterator[Row]:
    with serving(Offer(objects)) as url, tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        first = _run(url, Path(scratch))
        rate = objects / first.run.seconds
        note = f"the first run took {first.run.seconds:.0f} s, {rate:.0f} objects/s, each with a stream"
        again = _run(url, Path(scratch))
        what = f"a run that finds nothing changed, of {objects:,} objects"
        yield Row(what, again.run.seconds, 5, unit=" s", note=f"{again.requests} requests; {note}")
        yield Row(f"{what}: memory", again.run.samples.largest, 150, unit=" MiB")
        full = _run(url, Path(scratch), "--full")
        assert full.receipt["objects"] == {"unchanged": objects}
        rate, memory = objects / full.run.seconds, full.run.samples.largest
        note = f"{full.requests} requests, {rate:.0f} objects/s; memory {memory:.0f} MiB"
        yield Row(f"{what}, though all are listed (--full)", full.run.seconds, 300, unit=" s", note=note)


def _late(files: int, hosts: int, least: float) -> Row:
    with serving(Offer(files, hosts, _LATENCY_SECONDS)) as url, tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        done = _run(url, Path(scratch))
        assert done.receipt["files"] == {"fetched": files}
        what = f"files/s from {hosts} host{'s' * (hosts > 1)}, each 50 ms late ({files:,} files)"
        return Row(
            what,
            files / done.run.seconds,
            least,
            is_least=True,
            note=f"{done.run.seconds:.1f} s, start and end included",
        )


def _large(size: int) -> Iterator[Row]:
    with serving(Offer(1, 1, 0.0, size)) as url, tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        done = _run(url, Path(scratch))
        assert done.receipt["bytes_fetched"] == size  # type: ignore[comparison-overlap]
        note = f"{done.run.seconds:.0f} s, {size / done.run.seconds / 1e6:.0f} MB/s, fetched, hashed twice and kept"
        yield Row(
            f"memory while a file of {size:,} bytes is fetched", done.run.samples.largest, 150, unit=" MiB", note=note
        )


def _run(url: str, scratch: Path, *options: str) -> _Done:
    before = asked(url)
    line = live.command("harvester", scratch / "nowhere", "mirror", url, str(scratch / "mirror"), "--json")
    line += ["--allow", "127.0.0.0/8", "--no-robots", *options]
    done = run(line, live.unmeasured(live.environment(_SETTINGS)))
    return _Done(done, asked(url) - before, json.loads(done.output))


if __name__ == "__main__":
    main(rows)
