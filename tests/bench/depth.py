"""What depth costs: a whole list walked to its end; its last pages against its first, and the worker's memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from tests import live
from tests.bench import stores
from tests.bench.client import Client, Listed
from tests.bench.memory import sampled
from tests.bench.table import Row, main

_PAGES = 10  # at either end
_ROUNDS = 5


def rows(records: int) -> Iterator[Row]:
    """Measure the page at the end against the page at the beginning, and what the worker holds on the way."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        first: list[Listed] = []
        last: deque[Listed] = deque(maxlen=_PAGES + 1)  # and the very last, which is shorter or alone
        passed = 0
        with sampled(server.process) as samples:
            for number, page in enumerate(client.walk(metadataPrefix="oai_dc")):
                passed += page.body.count(b"<record>")
                if 0 < number <= _PAGES:
                    first.append(Listed(page.url, b"", 0))
                last.append(Listed(page.url, b"", 0))
        assert passed == records, f"{passed} of {records} records were listed"
        begin, end = _medians(client, first, list(last)[:-1])
    note = f"medians {begin * 1000:.2f} ms and {end * 1000:.2f} ms, pages of 500 by token"
    yield Row(f"page at record {records:,} against the first page (time)", end / begin, 1.2, note=note)
    what = f"memory of a web worker while {records:,} records pass"
    yield Row(what, samples.largest, 150, unit=" MiB", note=f"last quarter / second quarter: {samples.growth:.2f}")


def _medians(client: Client, first: Sequence[Listed], last: Sequence[Listed]) -> tuple[float, float]:
    """Return the median times of pages at both ends, asked in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_ROUNDS):
        for pages in zip(first, last, strict=False):
            for place, page in enumerate(pages):
                times[place].append(client.ask(page.url).seconds)
    assert all(before.url != after.url for before, after in pairwise(last))
    return median(times[0]), median(times[1])


if __name__ == "__main__":
    main(rows)
