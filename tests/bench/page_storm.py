"""What readers of pages cost harvesters: the rate of ListRecords while pages are stormed, against that without.

One worker, and the same load in turn: only the ratios mean anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from urllib.parse import urljoin

from tests import live
from tests.bench import stores
from tests.bench.load import rate
from tests.bench.page_paths import paths_of
from tests.bench.storm import CONNECTIONS, storm
from tests.bench.table import Row, main

_LONG = (5, 3.0)  # rounds, and seconds of each measurement of a round
_SHORT = (1, 1.0)  # with a corpus too small for figures
_SMALL = 100_000


def rows(records: int) -> Iterator[Row]:
    """Measure the rate beside storms on items, on searches, on verbs, and on all of them."""
    stored = stores.of(records)
    paths = paths_of(stored.folder)
    kinds: Mapping[str, Sequence[str]] = {
        "item": paths.items,
        "search": paths.searches,
        "browse": paths.verbs,
        "all kinds of": [path for kind in zip(*paths, strict=False) for path in kind],
    }
    with live.served(stored.folder, serve_workers=1) as server:
        urls = [f"{server.url}?verb=ListRecords&metadataPrefix=oai_dc"]
        for name, stormed in kinds.items():
            ratio, note = _compared(urls, stormed, *(_LONG if records >= _SMALL else _SHORT))
            what = f"ListRecords while {CONNECTIONS} connections read {name} pages, of alone"
            yield Row(what, ratio, 0.8, is_least=True, note=note)


def _compared(urls: list[str], stormed: Sequence[str], rounds: int, seconds: float) -> tuple[float, str]:
    alone, beside, answers = [], [], dict[str, int]()
    for _ in range(rounds):
        alone.append(rate(urls, seconds))
        with storm(urljoin(urls[0], "/"), stormed) as counts:
            rate(urls, 0.5)  # until all connections are open
            beside.append(rate(urls, seconds))
        answers = {status: answers.get(status, 0) + count for status, count in counts.items()}
    note = f"medians {median(beside):.0f} and {median(alone):.0f} lists/s; pages by status: {answers}"
    return median(beside) / median(alone), note


if __name__ == "__main__":
    main(rows)
