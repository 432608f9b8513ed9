"""How fast works are searched for, where every answer takes 200 ms: with and without the pauses that manners ask for.

The web is on loopback (`doubles`), connections and the store of searches are real. No work has a file, so no text is
read: `tests.fulltext.measure` measures that. Each search is a process of its own, so that what it costs is its alone.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from gateway.core.model import ItemState, Statement, StoredRecord, Work
from gateway.core.settings import Value, load
from gateway.core.takedowns import Takedowns
from gateway.formats import written
from harvester.fulltext.polite_fetch import CachingFetch, polite, settings_for_other_hosts
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import steps
from harvester.http.fetching import Web
from harvester.http.messages import Fetched, Request
from harvester.http.urls import host_of
from tests.bench.doubles import HOSTS, doi, led_to, serving
from tests.bench.runs import Row, apart
from tests.fulltext.kinds import FURTHER
from tests.opening import open_discovery

_WORKS = 2000
_LARO = 21_798  # DOIs of LARO, of which Autoload had to go through
_OPTIONS: dict[str, Value] = {
    "discover_email": "librarian@library.test",
    "discover_openalex_key": "k",
    "discover_policy_key": "k",
    "discover_threads": 8,
}


def rows(records: int) -> Iterator[Row]:
    """Measure the search for 2,000 works without pauses, the same with manners, and once more for all of them."""
    count = min(_WORKS, records)
    with serving() as port:
        with tempfile.TemporaryDirectory() as folder:
            figures = apart(searched, Path(folder), port, count)
        with tempfile.TemporaryDirectory() as folder:
            polite, second, again = (
                apart(searched, Path(folder), port, count, is_mannered=True, is_again=is_again)
                for is_again in (False, False, True)
            )
    pace = 60 * count / figures["seconds"]
    yield Row("works searched for in a minute, answers taking 200 ms, no pauses", pace, 200, is_least=True)
    yield Row("processor seconds per 1,000 works, without texts", 1000 * figures["cpu"] / count, 40, unit=" s")
    note = "robots.txt and further services not counted"
    yield Row("requests for a closed work, from the doubles", figures["counted"] / count, 6, note=note)
    pace = 60 * count / polite["seconds"]
    note = f"pages on {HOSTS} hosts; LARO's {_LARO:,} DOIs would take {_LARO / pace / 60:.1f} hours"
    yield Row("works searched for in a minute, with manners", pace, 100, is_least=True, note=note)
    yield Row("memory of the process", polite["memory"], 300, unit=" MB")
    yield Row("files and connections open at the end", polite["connections"], 150)
    yield Row("a second run, nothing being due: seconds", second["seconds"], 0.1, unit=" s")
    yield Row("all searched for again while answers hold: requests", again["requests"], 0)
    yield Row("all searched for again: processor seconds per 1,000", 1000 * again["cpu"] / count, 40, unit=" s")


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


def searched(
    folder: Path, port: int, count: int, *, is_mannered: bool = False, is_again: bool = False
) -> dict[str, float]:
    """Search for so many works, or again for all of them, and return what that cost.

    Names lead to the doubles; answers and connections are real ones, only TLS is left out.
    """
    settings = load(folder, environ={}, options=_OPTIONS)
    discovery, asked = open_discovery(folder), list[str]()
    with Web(settings_for_other_hosts(settings), allow=["127.0.0.1"], resolve=led_to(port)) as web:

        def plain(request: Request) -> Fetched:
            asked.append(request.url)
            return web(replace(request, url=request.url.replace("https://", "http://", 1)))

        fetch = (
            polite(plain, discovery, settings, time.sleep) if is_mannered else CachingFetch(plain, discovery, time.time)
        )
        work = FullTextSearch(_Works(), discovery, fetch, settings, steps())  # type: ignore[arg-type] # what a search reads
        discovery.enlist("bench", [(f"oai:g.example.org:bench/{n}", str(n)) for n in range(count)], count, 0)
        if is_again:
            discovery.renew(2**40, [], 0)
        began, worked = time.monotonic(), time.process_time()
        found = sum(1 for _ in work.run())
        assert found in (0, count), found
        return {
            "requests": len(asked),
            "counted": sum(not url.endswith("/robots.txt") and host_of(url) not in FURTHER for url in asked),
            "seconds": time.monotonic() - began,
            "cpu": time.process_time() - worked,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "connections": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        }
