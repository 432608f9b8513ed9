"""`make bench`: every figure that was promised, measured in one run on this machine, with its limit and the verdict.

`python -m tests.bench --records 10000` is quicker. One bench alone: `python -m tests.bench.serving`, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench import (
    clean,
    compaction,
    decide,
    depth,
    discovery,
    disk,
    graph,
    harvest,
    hub,
    incremental,
    landing,
    lint_resourcesync,
    lists,
    matching,
    mirror,
    page_storm,
    pages,
    parallel,
    rebuild,
    recheck,
    resourcesync,
    resourcesync_lists,
    review_clicks,
    review_list,
    search,
    serving,
    slow_clients,
    solr,
    startup,
    verification,
    windows,
)
from tests.bench.table import Row, main

BENCHES = (
    startup,
    serving,
    slow_clients,
    pages,
    page_storm,
    depth,
    incremental,
    compaction,
    disk,
    search,
    harvest,
    rebuild,
    clean,
    windows,
    parallel,
    solr,
    resourcesync,
    lint_resourcesync,
    lists,
    resourcesync_lists,
    hub,
    landing,
    mirror,
    verification,
    matching,
    discovery,
    review_clicks,
    recheck,
    review_list,
    decide,
    graph,
)


def rows(records: int) -> Iterator[Row]:
    """Measure everything."""
    for bench in BENCHES:
        yield from bench.rows(records)


if __name__ == "__main__":
    main(rows)
