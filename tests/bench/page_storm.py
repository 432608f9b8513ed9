"""What readers of pages cost harvesters: the rate of ListRecords while pages are stormed, against that without.

One worker, and the same load in turn: only the ratios mean anything. The storm is a process of its own, in which each
connection asks for one page after another: `python -m tests.bench.page_storm URL` reads paths from its input, one a
line, up to an empty line. It storms until the input ends, and prints the numbers of answers by status as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from urllib.parse import urljoin

from tests import live
from tests.bench import stores
from tests.bench.load import Connection
from tests.bench.page_paths import paths_of
from tests.bench.runs import beside, in_threads, rounds, until_told
from tests.bench.table import Row, main

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
            disturbed = partial(storm, urljoin(urls[0], "/"), stormed)
            ratio, note = beside(urls, *rounds(records, 5, 3.0), disturbed, warm_seconds=0.5)
            what = f"ListRecords while {CONNECTIONS} connections read {name} pages, of alone"
            yield Row(what, ratio, 0.8, is_least=True, note=note)


def ask_all(url: str) -> None:
    """Storm until the input ends, and print how many answers there were."""
    paths = [line.strip() for line in iter(sys.stdin.readline, "\n")]
    ended = threading.Event()
    counts = [Counter[int]() for _ in range(CONNECTIONS)]

    def ask(number: int) -> None:
        with Connection(url) as connection:
            for path in islice(cycle(paths), number * len(paths) // CONNECTIONS, None):
                if ended.is_set():
                    return
                counts[number][connection.get(path)] += 1

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    in_threads(ask, CONNECTIONS, wait)
    print(json.dumps(sum(counts, Counter())))


@contextmanager
def storm(url: str, paths: Sequence[str]) -> Iterator[dict[str, int]]:
    """Storm a server as long as the context lasts; the value gets the numbers of answers by status at its end."""
    answers: dict[str, int] = {}
    head = "".join(f"{path}\n" for path in (*paths, ""))
    with until_told("tests.bench.page_storm", url, head=head) as process:
        yield answers
        answers.update(json.loads(process.communicate()[0]))


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].startswith("http"):
        ask_all(sys.argv[1])
    else:
        main(rows)
