"""What updates leave: gzip answers after a fifth of all records was updated at random, against before.

Compaction runs as it does in service: the publisher makes blocks anew after each publication, and one round of `tend`
follows. The pages are those from the beginning of the list on, by token. Records are counted, not pages.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from statistics import median

from gateway.core.model import ItemChange, ItemState, Publication, Record
from gateway.core.xmltext import utc_datetime
from gateway.store.base import Store
from tests import live
from tests.bench import stores
from tests.bench.client import Client, rate
from tests.bench.runs import GZIP, Row, rounds
from tests.opening import open_store

_SHARE = 0.2  # of the items, which are updated
_AT_ONCE = 100  # items of a publication
_PAGES = 40


def rows(records: int) -> Iterator[Row]:
    """Measure a copy of the store before and after its updates."""
    stored = stores.of(records)
    with tempfile.TemporaryDirectory(dir=stored.folder.parent) as scratch:
        folder = Path(scratch) / "instance"
        shutil.copytree(stored.folder, folder)
        with closing(open_store(folder)) as store:
            store.compact(is_thorough=True)
        before = _records_per_second(folder, records)
        with closing(open_store(folder)) as store:
            seconds = _update(store, records)
            published = _records_per_second(folder, records)
            begun = time.monotonic()
            done = store.compact(is_thorough=True)
            tended = time.monotonic() - begun
        after = _records_per_second(folder, records)
    note = f"{after:,.0f} and {before:,.0f} records/s; {published:,.0f} before `tend`"
    yield Row("gzip answers after updates of a fifth, against before (records/s)", after / before, 0.8, True, note=note)
    note = f"{len(seconds)} publications; `tend` made {done.blocks:,} blocks anew in {tended:.1f} s"
    what = f"a publication of {_AT_ONCE} updates, with compaction"
    yield Row(what, median(seconds) * 1000, 500, unit=" ms", note=note)


def _update(store: Store, records: int) -> list[float]:
    """Publish new versions of random items; return how many seconds each publication took."""
    choice, seconds = random.Random(records), []
    numbers = choice.sample(range(1, records + 1), int(records * _SHARE))
    for start in range(0, len(numbers), _AT_ONCE):
        states = [store.items(None, number - 1, 1)[0][1] for number in numbers[start : start + _AT_ONCE]]
        with store.view() as view:
            changes = tuple(_updated(state, store.item_sets(state.number), view) for state in states)
        begun = time.monotonic()
        store.publish(store.intend(), Publication("corpus", changes))
        seconds.append(time.monotonic() - begun)
    return seconds


def _updated(state: ItemState, sets: tuple[str, ...], view) -> ItemChange:
    records = []
    for prefix, *_ in state.records:
        head, tag, rest = view.record(state.identifier, prefix).content.partition(b"<datestamp>")
        content = head + tag + utc_datetime(view.horizon).encode() + rest[rest.index(b"<") :]
        records.append(Record(prefix, blake2b(content, digest_size=16).digest(), False, content))
    return ItemChange(state.upstream, state.identifier, False, sets, state.payloads, tuple(records))


def _records_per_second(folder: Path, records: int) -> float:
    """Return how many records a second the server gives in gzip answers."""
    times, seconds = rounds(records, 3, 3.0)
    with live.served(folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        pages = list(islice(client.walk(metadataPrefix="oai_dc"), 1, _PAGES + 1))
        size = sum(page.body.count(b"<record>") for page in pages) / max(1, len(pages))
        return size * median(rate([page.url for page in pages], seconds, GZIP) for _ in range(times))
