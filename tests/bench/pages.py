"""Pages: how long the page of an item takes, how many a worker makes, and the pages of 200 sources."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from statistics import median
from time import time

from gateway.model import Publication, RunOutcome, SetDescription, Source
from gateway.store.opening import open_inbox, open_store
from tests import live
from tests.bench import stores
from tests.bench.client import Client
from tests.bench.load import loader, rate
from tests.bench.page_paths import paths_of
from tests.bench.table import Row, main

_SOURCES = 200
_ITEMS = 10  # of each source
_RUNS = 30  # of each source: a month of daily harvests
_TIMES = 30  # that each page of sources is requested
_SECONDS = 3.0
_DAY_SECONDS = 86_400


def rows(records: int) -> Iterator[Row]:
    """Measure pages of a store of so many items, and of another one with many sources."""
    stored = stores.of(records)
    items = paths_of(stored.folder).items
    with live.served(stored.folder, serve_workers=1) as server, Client(server.url) as client:
        urls = [server.url.removesuffix("/oai") + path for path in items]
        milliseconds = [client.ask(url).seconds * 1000 for url in urls]
        note = f"median of {len(urls)} pages, the slowest {max(milliseconds):.0f} ms; {records:,} items"
        yield Row("item page", median(milliseconds), 10, unit=" ms", note=note)
        note = f"four connections, by {loader()}"
        yield Row("item pages, by one worker", rate(urls, _SECONDS), 100, is_least=True, unit="/s", note=note)
    with tempfile.TemporaryDirectory() as folder:
        _make_sources(Path(folder))
        yield from _of_sources(Path(folder))


def _of_sources(folder: Path) -> Iterator[Row]:
    with live.served(folder, serve_workers=1) as server, Client(server.url) as client:
        for path in ("/", "/sources"):
            url = server.url.removesuffix("/oai") + path
            milliseconds = [client.ask(url).seconds * 1000 for _ in range(_TIMES)]
            note = f"{_SOURCES} sources with {_RUNS} harvests each"
            yield Row(f"the page {path}", median(milliseconds), 50, unit=" ms", note=note)


def _make_sources(folder: Path) -> None:
    """Make an instance with many sources, of which each has items and harvests."""
    with tempfile.TemporaryDirectory() as scratch:
        works, formats = stores._mapped(Path(scratch), _SOURCES * _ITEMS)
    changes = stores._items(works, 0, stores._Hands(time()))
    with closing(open_store(folder, create=True)) as store, closing(open_inbox(folder, create=True)) as inbox:
        for format_ in formats:
            store.add_format(format_)
        for number in range(_SOURCES):
            name = f"source{number}"
            store.add_source(Source(name, f"https://{name}.example.org/oai"))
            store.add_sets([SetDescription(f"source:{name}", name)])
            store.publish(store.intend(), Publication(name, tuple(islice(changes, _ITEMS))))
            for days in range(_RUNS, 0, -1):
                begun_at = int(time()) - days * _DAY_SECONDS
                run = inbox.start_run(name, begun_at)
                counts = {"received": _ITEMS, "published": days % 3}
                inbox.end_run(run, begun_at + 60, RunOutcome.SUCCEEDED, True, counts, ())
    done = live.called("gateway", folder, "init", "--domain", "live.example.org")
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    main(rows)
