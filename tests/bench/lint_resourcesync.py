"""What `harvester lint-resourcesync` needs for the lists of a source, when it requests no resource."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests import live
from tests.bench.resourcesync_source import serving
from tests.bench.runs import Row, main, run, scratch


def rows(records: int) -> Iterator[Row]:
    """Measure the seconds and the memory from the start of the command to its end, alone and compared with a run."""
    what = f"the check of lists of {records:,} resources"
    with serving(records) as url, scratch() as folder:
        yield from _measured(what, folder, url)
        again = ("--again", str(folder / "again"))
        for _ in range(2):  # the first run has nothing to compare with
            compared = list(_measured(f"{what}, compared", folder, url, *again))
        yield from compared


def _measured(what: str, folder: Path, url: str, *options: str) -> Iterator[Row]:
    line = live.command("harvester", folder, "lint-resourcesync", url, "--fetch", "0", "--json", *options)
    done = run(line, live.environment({"fetch_delay_seconds": 0}), may_fail=True)  # it may find something
    report = json.loads(done.output)
    note = f"{report['documents']} documents, {report['requests']} requests; the making of the lists included"
    yield Row(what, done.seconds, 60, unit=" s", note=note)
    yield Row(f"memory of {what}", done.samples.largest, 100, unit=" MiB")


if __name__ == "__main__":
    main("lint_resourcesync")
