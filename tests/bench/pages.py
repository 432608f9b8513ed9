"""Pages: how long the page of an item takes, how many a worker makes, and the pages of 200 sources."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from time import time
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from gateway.core.model import Publication, RunOutcome, SetDescription, Source
from gateway.search.indexing import describe
from tests import live
from tests.bench import stores
from tests.bench.client import Client, rate
from tests.bench.runs import Row, called
from tests.opening import open_inbox, open_store

_SOURCES = 200
_ITEMS = 10  # of each source
_RUNS = 30  # of each source: a month of daily harvests
_TIMES = 30  # that each page of sources is requested
_SECONDS = 3.0
_DAY_SECONDS = 86_400
_PATHS = 400  # enough that no cache of a processor holds them


def rows(records: int) -> Iterator[Row]:
    """Measure pages of a store of so many items, and of another one with many sources."""
    stored = stores.of(records)
    items = paths_of(stored.folder).items
    with live.served(stored.folder, serve_workers=1) as server, Client(server.url) as client:
        urls = [server.url.removesuffix("/oai") + path for path in items]
        milliseconds = [client.ask(url).seconds * 1000 for url in urls]
        note = f"median of {len(urls)} pages, the slowest {max(milliseconds):.0f} ms; {records:,} items"
        yield Row("item page", median(milliseconds), 10, unit=" ms", note=note)
        yield Row("item pages, by one worker", rate(urls, _SECONDS), 100, is_least=True, unit="/s")
    with tempfile.TemporaryDirectory() as folder:
        sources = min(_SOURCES, records // 50)
        _make_sources(Path(folder), sources)
        yield from _of_sources(Path(folder), sources)


def _of_sources(folder: Path, sources: int) -> Iterator[Row]:
    with live.served(folder, serve_workers=1) as server, Client(server.url) as client:
        for path in ("/", "/sources"):
            url = server.url.removesuffix("/oai") + path
            milliseconds = [client.ask(url).seconds * 1000 for _ in range(_TIMES)]
            note = f"{sources} sources with {_RUNS} harvests each"
            yield Row(f"the page {path}", median(milliseconds), 50, unit=" ms", note=note)


def _make_sources(folder: Path, sources: int) -> None:
    """Make an instance with many sources, of which each has items and harvests."""
    works, formats = stores.mapped(sources * _ITEMS)
    changes = stores.changes_of(works, 0, stores.Hands())
    with closing(open_store(folder, create=True)) as store, closing(open_inbox(folder, create=True)) as inbox:
        for format_ in formats:
            store.add_format(format_)
        for number in range(sources):
            name = f"source{number}"
            store.add_source(Source(name, f"https://{name}.example.org/oai"))
            store.add_sets([SetDescription(f"source:{name}", name)])
            store.publish(store.intend(), Publication(name, tuple(islice(changes, _ITEMS))))
            for days in range(_RUNS, 0, -1):
                begun_at = int(time()) - days * _DAY_SECONDS
                run = inbox.start_run(name, begun_at)
                counts = {"received": _ITEMS, "published": days % 3}
                inbox.end_run(run, begun_at + 60, RunOutcome.SUCCEEDED, True, counts, ())
    called("gateway", folder, "init", "--domain", "live.example.org")


# --- the paths of pages that readers of a made store request --------------------------------------------------------


class Paths(NamedTuple):
    """Paths of pages, in no order."""

    items: list[str]
    searches: list[str]
    verbs: list[str]


def paths_of(folder: Path) -> Paths:
    """Return paths of pages of an instance. Its search index is completed first."""
    called("gateway", folder, "index")
    items = list(_items(folder))
    names = [quote(name, safe="/:") for name, _ in items]
    return Paths(
        [f"/items/{name}" for name in names],
        [f"/search?q={quote_plus(' '.join(words))}" for _, words in items if words],
        [
            "/browse?verb=ListRecords&metadataPrefix=oai_dc",
            "/browse?verb=ListIdentifiers&metadataPrefix=oai_dc",
            *(f"/browse?verb=GetRecord&metadataPrefix=oai_dc&identifier={name}" for name in names[:20]),
        ],
    )


def _items(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield identifiers of items, and words of their titles."""
    random = Random(16)
    with closing(open_store(folder)) as store, store.view() as view:
        last = view.last_change()
        for _ in range(_PATHS):
            (line,) = view.changes(random.randrange(last), 1)
            record = view.record(line.identifier, "oai_dc")
            assert record is not None
            title = next(iter(describe(record.content).texts("title")), "")
            words = [word for word in title.split() if len(word) > 3 and word.isalpha()]
            yield line.identifier, random.sample(words, min(2, len(words)))
