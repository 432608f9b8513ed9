"""What serving costs: our pages against the same pages as files of nginx, and our gzip pages against our plain ones.

The same bytes, one worker each, the same load, one after the other: only the ratios mean anything.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests import live
from tests.bench import nginx, stores
from tests.bench.client import Client
from tests.bench.load import loader, rate
from tests.bench.table import Row, main

_PAGES = 40  # enough that no cache of a processor holds them
_SECONDS = 6.0


def rows(records: int, seconds: float = _SECONDS) -> Iterator[Row]:
    """Measure identity answers against nginx, and gzip answers against identity."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server:
        with Client(server.url) as client:
            pages = list(islice(client.walk(metadataPrefix="oai_dc"), 1, _PAGES + 1))  # all of them by token
        urls = [page.url for page in pages]
        size = sum(len(page.body) for page in pages) / len(pages)
        plain = rate(urls, seconds)
        packed = rate(urls, seconds, ["Accept-Encoding: gzip"])
        if nginx.program():
            with tempfile.TemporaryDirectory() as folder, nginx.serving(Path(folder), [p.body for p in pages]) as files:
                peer = rate(files, seconds)
            note = f"{plain:.0f} and {peer:.0f} pages/s of {size / 1e6:.2f} MB, by {loader()}"
            yield Row("ListRecords, 500 records a page, against nginx", plain / peer, 0.15, is_least=True, note=note)
        else:
            print("    not measured for want of nginx: ListRecords against its static files")
    yield Row("gzip answers against plain answers, records/s", packed / plain, 0.6, is_least=True)


if __name__ == "__main__":
    main(rows)
