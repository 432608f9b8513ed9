"""`make bench`: every figure that was promised, measured on this machine, with its limit and the verdict.

`python -m tests.bench --records 10000` is quicker, `python -m tests.bench serving lists` measures two benches alone.
"""

from __future__ import annotations

from tests.bench.runs import main

_BENCHES = (
    "startup serving slow_clients pages page_storm lists compaction search harvest rebuild resourcesync"
    " lint_resourcesync resourcesync_lists postgres hub mirror matching discovery recheck"
    " review_list decide graph many_sources"
)

if __name__ == "__main__":
    main(*_BENCHES.split())
