"""What harvesting a Solr index costs: LARO's 25,415 documents, from the first request to the last record published."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests import live
from tests.bench.table import Row, main
from tests.sample.solr import Index, laro, serving

_DOCUMENTS, _FULLTEXTS = 25_415, 1_023


def rows(records: int) -> Iterator[Row]:
    """Measure the rate of one harvest, all processes included."""
    count = min(records, _DOCUMENTS)
    with serving(Index(laro(count, _FULLTEXTS))) as core, tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = live.instance(Path(scratch), {})
        added = live.called("harvester", folder, "source", "add", "laro", core, "--kind", "solr")
        assert added.returncode == 0, added.stderr
        started = time.monotonic()
        done = live.called("harvester", folder, "run", "laro")
        seconds = time.monotonic() - started
    assert done.returncode == 0, done.stderr
    # What a library's own cursorMark feed was measured to give (hathitrust/oai_solr); we must not be what slows it.
    note = f"{count:,} documents in {seconds:.1f} s, processes and all; the index answers from this process"
    what = "documents of a Solr index harvested and published"
    yield Row(what, count / seconds, 300, is_least=True, unit="/s", note=note)


if __name__ == "__main__":
    main(rows)
