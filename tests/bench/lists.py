"""What lists cost besides the list of everything: a sparse set that is harvested, one record, many clients at once."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from random import Random
from statistics import median
from urllib.parse import quote, urlsplit

from gateway.model import Selection
from gateway.store.opening import open_store
from tests import live
from tests.bench import stores
from tests.bench.client import Client
from tests.bench.load import Connection
from tests.bench.memory import sampled
from tests.bench.stores import Stored
from tests.bench.table import Row, main

_ROUNDS = 30
_CLIENTS, _SECONDS = 20, 10.0
_SMALL, _SHORT_SECONDS = 100_000, 1.0


def rows(records: int) -> Iterator[Row]:
    """Measure the rare set against everything, GetRecord, and the memory of a worker that many clients read from."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1) as server, Client(server.url) as client:
        before = _a_record(client, stores.RARE)  # this page says that somebody harvests the set
        with closing(open_store(stored.folder)) as store:
            store.compact()
        rare, every = _a_record(client, stores.RARE), _a_record(client, None)
        note = f"{rare * 1e6:.1f} and {every * 1e6:.1f} us a record; {before * 1e6:.1f} before it had blocks of its own"
        yield Row("set of 0.1 % that is harvested, against all records (time)", rare / every, 1.5, note=note)
        yield _one_record(client, stored)
        with sampled(server.process) as samples:
            answers = _read_by_many(server.url, _SECONDS if records >= _SMALL else _SHORT_SECONDS)
    note = f"{answers} answers; last quarter / second quarter: {samples.growth:.2f}"
    what = f"memory of a web worker while {_CLIENTS} clients read gzip"
    yield Row(what, samples.largest, 100, unit=" MiB", note=note)


def _a_record(client: Client, spec: str | None) -> float:
    """Return the median seconds of the first page of a list, for each record of it."""
    within = {} if spec is None else {"set": spec}
    pages = [next(client.walk(metadataPrefix="oai_dc", **within)) for _ in range(_ROUNDS)]
    return median(page.seconds for page in pages) / pages[0].body.count(b"<record>")


def _one_record(client: Client, stored: Stored) -> Row:
    with closing(open_store(stored.folder)) as store, store.view() as view:
        last = view.last_item()
        places = sorted(Random(1).sample(range(last), min(300, last)))
        ranges = [view.resources(Selection("oai_didl"), place, last, 1) for place in places]
    identifiers = [resource.identifier for several in ranges for resource in several]
    path = f"{urlsplit(client.url).path}?verb=GetRecord&metadataPrefix=oai_didl&identifier="
    times = []
    with Connection(client.url) as connection:  # half of the time would be that of http.client
        for identifier in identifiers:
            begun = time.perf_counter()
            assert connection.get(path + quote(identifier, safe="")) == 200
            times.append(time.perf_counter() - begun)
    note = f"{len(times)} records of oai_didl at random places, over HTTP"
    return Row("GetRecord (median)", median(times) * 1000, 1, unit=" ms", note=note)


def _read_by_many(url: str, seconds: float) -> int:
    """Let many clients walk the list with gzip; return how many answers they got."""
    ends, counts = time.monotonic() + seconds, [0] * _CLIENTS

    def walk(number: int) -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        with Client(url) as client:
            first = [urlsplit(page.url) for page in islice(client.walk(metadataPrefix="oai_dc"), 5)]
        while time.monotonic() < ends:
            for page in first:
                connection.request("GET", f"{page.path}?{page.query}", headers={"Accept-Encoding": "gzip"})
                connection.getresponse().read()
                counts[number] += 1
        connection.close()

    threads = [threading.Thread(target=walk, args=(number,)) for number in range(_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)


if __name__ == "__main__":
    main(rows)
