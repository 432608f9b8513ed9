"""What readers of pages cost harvesters: the rate of ListRecords while pages are stormed, against that without.

One worker, and the same load in turn: only the ratios mean anything. The storm is a process of its own, in which each
connection asks for one page after another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from multiprocessing.synchronize import Event

from tests import live
from tests.bench import stores
from tests.bench.client import Connection
from tests.bench.pages import paths_of
from tests.bench.runs import Row, beside, in_threads, meanwhile, rounds

CONNECTIONS = 32


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
            disturbed = partial(meanwhile, partial(storm, urls[0], stormed))
            ratio, note = beside(urls, *rounds(records, 5, 3.0), disturbed)
            what = f"ListRecords while {CONNECTIONS} connections read {name} pages, of alone"
            yield Row(what, ratio, 0.8, is_least=True, note=note)


def storm(url: str, paths: Sequence[str], ended: Event) -> Counter[int]:
    """Storm a server until the event comes; return how many answers there were by status."""
    counts = [Counter[int]() for _ in range(CONNECTIONS)]

    def ask(number: int) -> None:
        with Connection(url) as connection:
            for path in islice(cycle(paths), number * len(paths) // CONNECTIONS, None):
                if ended.is_set():
                    return
                counts[number][connection.get(path)] += 1

    in_threads(ask, CONNECTIONS)
    return sum(counts, Counter[int]())
