"""What serving costs: our pages against the same pages as plain files of nginx, and lists of headers.

The same bytes, one worker each, the same load, in turn: only the ratios mean anything.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median

from tests import live
from tests.bench import nginx, runs, stores
from tests.bench.client import Client, Listed
from tests.bench.load import rate
from tests.bench.table import Row

_PAGES = 40  # enough that no cache of a processor holds them


def rows(records: int) -> Iterator[Row]:
    """Measure plain and gzip answers against nginx, and lists of headers against lists of records."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        pages = _pages(client, "ListRecords")
        headers = _pages(client, "ListIdentifiers")
        size = sum(page.body.count(b"<record>") for page in pages) / len(pages)
        few = sum(page.body.count(b"<header>") for page in headers) / len(headers)
        with _peer([page.body for page in pages]) as files:
            rates = _rates([page.url for page in pages], [page.url for page in headers], files, records)
    plain, packed, listed, peer = rates
    if files:
        note = f"medians {packed:.0f} and {peer:.0f} pages/s of {size:.0f} records"
        what = "ListRecords with gzip, against the same pages as plain files of nginx"
        yield Row(what, packed / peer, 0.5, is_least=True, note=note)
        note = f"medians {plain:.0f} and {peer:.0f} pages/s"
        yield Row("ListRecords without a coding, against the same", plain / peer, 0.28, is_least=True, note=note)
    note = f"medians {listed:.0f} pages/s of {few:.0f} headers and {packed:.0f} of {size:.0f} records"
    what = "ListIdentifiers with gzip against ListRecords with gzip, records/s"
    yield Row(what, listed * few / (packed * size), 1.3, is_least=True, note=note)


def _pages(client: Client, verb: str) -> list[Listed]:
    """Return pages of a list after the first one: all of them are asked for by token."""
    return list(islice(client.walk(verb, metadataPrefix="oai_dc"), 1, _PAGES + 1))


@contextmanager
def _peer(pages: list[bytes]) -> Iterator[list[str]]:
    if not nginx.program():
        print("    not measured because nginx is missing: ListRecords, compared with its static files")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder, nginx.serving(Path(folder), pages) as files:
        yield files


def _rates(records: list[str], headers: list[str], files: list[str], corpus: int) -> list[float]:
    """Return the median rates of plain and gzip answers, gzip lists of headers, and files, measured in turn."""
    times, seconds = runs.rounds(corpus, 3, 3.0)
    asked = list(zip((records, records, headers, files), ((), runs.GZIP, runs.GZIP, ()), strict=True))
    rounds = [[rate(urls, seconds, wanted) if urls else 0.0 for urls, wanted in asked] for _ in range(times)]
    return [median(rates) for rates in zip(*rounds, strict=True)]
