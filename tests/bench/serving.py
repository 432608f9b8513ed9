"""What serving costs: our pages against the same pages as files of nginx, and our gzip pages against our plain ones.

The same bytes, one worker each, the same load, in turn: only the ratios mean anything.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median

from tests import live
from tests.bench import nginx, stores
from tests.bench.client import Client
from tests.bench.load import loader, rate
from tests.bench.table import Row, main

_PAGES = 40  # enough that no cache of a processor holds them
_LONG = (3, 3.0)  # rounds, and seconds of each measurement of a round
_SHORT = (1, 1.0)  # with a corpus too small for figures
_SMALL = 100_000


def rows(records: int) -> Iterator[Row]:
    """Measure identity answers against nginx, and gzip answers against identity."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        pages = list(islice(client.walk(metadataPrefix="oai_dc"), 1, _PAGES + 1))  # all of them by token
        urls = [page.url for page in pages]
        with _peer([page.body for page in pages]) as files:
            plain, packed, peer = _rates(urls, files, *(_LONG if records >= _SMALL else _SHORT))
    size = sum(len(page.body) for page in pages) / len(pages)
    if files:
        note = f"medians {plain:.0f} and {peer:.0f} pages/s of {size / 1e6:.2f} MB, by {loader()}"
        yield Row("ListRecords, 500 records a page, against nginx", plain / peer, 0.15, is_least=True, note=note)
    note = f"medians {packed:.0f} and {plain:.0f} pages/s"
    yield Row("gzip answers against plain answers, records/s", packed / plain, 0.6, is_least=True, note=note)


@contextmanager
def _peer(pages: list[bytes]) -> Iterator[list[str]]:
    if not nginx.program():
        print("    not measured because nginx is missing: ListRecords, compared with its static files")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder, nginx.serving(Path(folder), pages) as files:
        yield files


def _rates(urls: list[str], files: list[str], times: int, seconds: float) -> list[float]:
    """Return the median rates of plain answers, gzip answers and files, measured in turn."""
    asked: tuple[tuple[list[str], list[str]], ...] = ((urls, []), (urls, ["Accept-Encoding: gzip"]), (files, []))
    rounds = [
        [rate(addresses, seconds, headers) if addresses else 0.0 for addresses, headers in asked] for _ in range(times)
    ]
    return [median(rates) for rates in zip(*rounds, strict=True)]


if __name__ == "__main__":
    main(rows)
