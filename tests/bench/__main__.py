"""`make bench`: every figure that was promised, measured in one run on this machine, with its limit and the verdict.

`python -m tests.bench --records 10000` is quicker. One bench alone: `python -m tests.bench.serving`, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tests.bench.table import Row, main

_BENCHES = (
    "startup serving slow_clients pages page_storm lists compaction search harvest rebuild clean resourcesync"
    " lint_resourcesync resourcesync_lists hub landing mirror verification matching discovery review_clicks recheck"
    " review_list decide graph"
)


def rows(records: int) -> Iterator[Row]:
    """Measure everything."""
    for bench in _BENCHES.split():
        yield from import_module(f"tests.bench.{bench}").rows(records)


if __name__ == "__main__":
    main(rows)
