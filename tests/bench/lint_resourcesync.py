"""What `harvester lint-resourcesync` needs for the lists of a source, when it requests no resource."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests import live
from tests.bench.memory import sampled
from tests.bench.resourcesync_source import serving
from tests.bench.table import Row, main


def rows(records: int) -> Iterator[Row]:
    """Measure the seconds and the memory from the start of the command to its end."""
    with serving(records) as url, tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        line = live.command("harvester", Path(scratch), "lint-resourcesync", url, "--fetch", "0", "--json")
        environment = live.environment({"fetch_delay_seconds": 0})
        began = time.monotonic()
        with (
            subprocess.Popen(line, stdout=subprocess.PIPE, env=environment) as process,
            sampled(process.pid) as samples,
        ):
            output, _ = process.communicate()
        seconds = time.monotonic() - began
    report = json.loads(output)
    assert report["entries"] > records, report
    what = f"the check of lists of {records:,} resources"
    note = f"{report['documents']} documents, {report['requests']} requests; the making of the lists included"
    yield Row(what, seconds, 60, unit=" s", note=note)
    yield Row(f"memory of {what}", samples.largest, 100, unit=" MiB")


if __name__ == "__main__":
    main(rows)
