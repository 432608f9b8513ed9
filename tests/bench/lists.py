"""What lists cost: a sparse set, one record, many clients at once; depth, and the last hour of a large repository.

And what a record costs on the disk: the store's file, indexes and all, against the XML in it, without the inbox.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from random import Random
from statistics import median
from urllib.parse import quote, urlsplit

from gateway.core.model import Selection
from gateway.core.xmltext import utc_datetime
from tests import live
from tests.bench import stores
from tests.bench.client import Client, Connection, rate
from tests.bench.memory import sampled
from tests.bench.runs import GZIP, Row, in_threads, rounds
from tests.bench.stores import Stored
from tests.opening import open_store

_ROUNDS = 50
_CLIENTS = 20  # by fours
_PAGES = 10  # at either end of a list
_WARM = 5  # the first rounds, which open files
_SMALL_STORE = 10_000


def rows(records: int) -> Iterator[Row]:
    """Measure the lists of a store of so many records, and its file."""
    yield from _lists(records)
    yield from _depth(records)
    yield from _last_hour(records)
    yield from _disk(records)


def _lists(records: int) -> Iterator[Row]:
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
            urls = [page.url for page in islice(client.walk(metadataPrefix="oai_dc"), 5)]
            in_threads(lambda _: rate(urls, rounds(records, 1, 10.0)[1], GZIP), _CLIENTS // 4)
    what = f"memory of a web worker while {_CLIENTS} clients read gzip"
    yield Row(what, samples.largest, 100, unit=" MiB")


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


def _depth(records: int) -> Iterator[Row]:
    """Measure the page at the end against the page at the beginning, and what the worker holds on the way."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        urls, passed = [], 0
        with sampled(server.process) as samples:
            for page in client.walk(metadataPrefix="oai_dc"):
                passed += page.body.count(b"<record>")
                urls.append(page.url)
        assert passed == records, f"{passed} of {records} records were listed"
        # Without the very last page, which is shorter or alone.
        begin, end = _medians((client, urls[1 : _PAGES + 1]), (client, urls[-_PAGES - 1 : -1]))
    note = f"medians {begin * 1000:.2f} ms and {end * 1000:.2f} ms, pages of 500 by token"
    yield Row(f"page at record {records:,} against the first page (time)", end / begin, 1.2, note=note)
    what = f"memory of a web worker while {records:,} records pass"
    yield Row(what, samples.largest, 150, unit=" MiB")


def _medians(*asked: tuple[Client, list[str]]) -> list[float]:
    """Return the median time of each client's requests, asked in turn; the first ones only open files."""
    times = [[client.ask(urls[place % len(urls)]).seconds for client, urls in asked] for place in range(_ROUNDS)]
    return [median(seconds) for seconds in zip(*times[_WARM:], strict=True)]


def _last_hour(records: int) -> Iterator[Row]:
    """Measure both requests, of everything and within the rare set, on both stores in turn."""
    large, small = stores.of(records), stores.of(min(_SMALL_STORE, records))
    with (
        live.served(large.folder, serve_workers=1) as of_large,
        live.served(small.folder, serve_workers=1) as of_small,
        Client(of_large.url) as ask_large,
        Client(of_small.url) as ask_small,
    ):
        for words, within in (("", ""), (", within a set of 0.1 %", f"&set={stores.RARE}")):
            asked = [(ask_large, [_hour(ask_large, large, within)]), (ask_small, [_hour(ask_small, small, within)])]
            sizes = {client.ask(urls[0]).body.count(b"<record>") for client, urls in asked}
            assert len(sizes) == 1, f"the last hours differ: {sizes} records"
            slow, fast = _medians(*asked)
            note = f"medians {slow * 1000:.2f} ms and {fast * 1000:.2f} ms"
            what = f"last hour in {records:,} against in {small.items:,} records{words} (time)"
            yield Row(what, slow / fast, 1.5, note=note)


def _hour(client: Client, stored: Stored, within: str) -> str:
    """Return the address of the hour before the last publication of a store that may be of another day."""
    from_ = utc_datetime(stored.last_datestamp - 3600)
    return f"{client.url}?verb=ListRecords&metadataPrefix=oai_dc&from={from_}{within}"


def _disk(records: int) -> Iterator[Row]:
    """Measure the store's file."""
    stored = stores.of(records)
    files = [stored.folder / f"store.sqlite{end}" for end in ("", "-wal")]
    held = sum(file.stat().st_size for file in files if file.exists())
    note = f"{held / records:,.0f} of {stored.xml_bytes / records:,.0f} bytes a record, in both formats"
    yield Row("bytes on disk per record against the raw XML", held / stored.xml_bytes, 0.165, note=note)
    note = f"{stored.publish_seconds:.0f} s in all; then {stored.compact_seconds:.0f} s for thorough compaction"
    a_record = stored.publish_seconds / records / len(stores.FORMATS)
    yield Row("publication of a record and format, when the store was made", a_record * 1e6, 100, unit=" us", note=note)
