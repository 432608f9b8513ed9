"""A search for many works as a process of its own, so that what it costs is its alone: it prints figures as JSON.

`python -m tests.bench.searching FOLDER PORT WORKS THREADS MANNERS AGAIN`. Names lead to the doubles at PORT; answers
and connections are real ones, only TLS is left out.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from gateway.formats import written
from gateway.model import ItemState, Statement, StoredRecord, Work
from gateway.settings import load
from gateway.store.opening import open_discovery
from gateway.takedowns import Takedowns
from harvester.fulltext.answer_cache import CachingFetch
from harvester.fulltext.polite_fetch import polite, settings_for_other_hosts
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import steps
from harvester.http.fetching import Web
from harvester.http.messages import Fetched, Request
from harvester.http.urls import host_of
from tests.bench.doubles import doi
from tests.bench.runs import run
from tests.fulltext.kinds import FURTHER

OPTIONS = {"discover_email": "librarian@library.test", "discover_openalex_key": "k", "discover_policy_key": "k"}


class _Works:
    """A store of works with DOIs and without files; only what a search reads of it."""

    def __init__(self) -> None:
        self._takedowns = Takedowns()  # a store reads the list once, too

    @contextmanager
    def view(self) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(record=self._record)

    def states(self, _source: str, _upstreams: tuple[str, ...]) -> dict[str, ItemState]:
        """Return nothing: no file was published of any of them."""
        return {}

    def takedowns(self) -> Takedowns:
        """Return an empty list: nothing is withdrawn."""
        return self._takedowns

    def _record(self, identifier: str, prefix: str) -> StoredRecord:
        number = identifier.rpartition("/")[2]
        about = Work((Statement("title", f"Work {number}"),), (f"https://doi.org/{doi(int(number))}",))
        write = written()[prefix].write
        assert write is not None
        return StoredRecord(b"<record><metadata>" + write(about) + b"</metadata></record>", 0, b"", False)


def main(folder: Path, port: int, count: int, threads: int, *, is_mannered: bool, is_again: bool) -> None:
    """Search for so many works, or again for all of them, and print what that cost."""
    settings = load(folder, environ={}, options={**OPTIONS, "discover_threads": threads})
    desk, asked = open_discovery(folder), list[str]()
    with Web(
        settings_for_other_hosts(settings),
        allow=["127.0.0.1"],
        resolve=lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", port))],
    ) as web:

        def plain(request: Request) -> Fetched:
            asked.append(request.url)
            return web(replace(request, url=request.url.replace("https://", "http://", 1)))

        fetch = polite(plain, desk, settings, time.sleep) if is_mannered else CachingFetch(plain, desk, time.time)
        work = FullTextSearch(_Works(), desk, fetch, settings, steps())  # type: ignore[arg-type] # what a search reads
        desk.enlist("bench", [(f"oai:g.example.org:bench/{n}", str(n)) for n in range(count)], count, 0)
        if is_again:
            desk.renew(2**40, [], 0)
        began, worked = time.monotonic(), time.process_time()
        count_found = sum(1 for _ in work.run())
        assert count_found in (0, count), count_found
        figures = {
            "found": count_found,
            "requests": len(asked),
            "counted": sum(not url.endswith("/robots.txt") and host_of(url) not in FURTHER for url in asked),
            "seconds": time.monotonic() - began,
            "cpu": time.process_time() - worked,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "connections": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        }
    print(json.dumps(figures))


def searched(
    folder: Path, port: int, count: int, threads: int, *, is_mannered: bool = False, is_again: bool = False
) -> dict[str, float]:
    """Run such a search in a process of its own, and return its figures."""
    arguments = [str(folder), str(port), str(count), str(threads), str(int(is_mannered)), str(int(is_again))]
    figures: dict[str, float] = json.loads(run([sys.executable, "-m", "tests.bench.searching", *arguments]).output)
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), is_mannered=sys.argv[5] == "1", is_again=sys.argv[6] == "1")
