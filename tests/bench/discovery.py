"""How fast works are searched for, where every answer takes 200 ms: with and without the pauses that manners ask for.

The world is a function that sleeps; the store of searches is real. No work has a file,
so no text is read: `verification` measures that.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from gateway.formats import written
from gateway.model import Statement, StoredRecord, Work
from gateway.settings import load
from gateway.store.sqlite_discovery import SqliteDiscovery, open_discovery
from harvester.search.discovering import Discovering
from harvester.search.manners import Manners
from harvester.search.remembering import Remembering
from harvester.search.steps import steps
from harvester.wire.http import Fetched, Request
from tests.bench.table import Row, main

_LATENCY_SECONDS = 0.2
_WORKS = 2000
_WITH_MANNERS = 60  # they take as long as they take
_LARO = 21_798  # DOIs of LARO, of which Autoload had to go through
_THREADS = 8


class _Works:
    """A store of works with DOIs and without files; only what a search reads of it."""

    @contextmanager
    def view(self) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(record=self._record)

    def _record(self, identifier: str, prefix: str) -> StoredRecord:
        number = identifier.rpartition("/")[2]
        about = Work((Statement("title", f"Work {number}"),), (f"https://doi.org/10.5555/{number}",))
        write = written()[prefix].write
        assert write is not None
        return StoredRecord(b"<record><metadata>" + write(about) + b"</metadata></record>", 0, b"", False)


def _answered(request: Request) -> Fetched:
    time.sleep(_LATENCY_SECONDS)
    doi = request.url.partition("10.5555/")[2].partition("?")[0]
    bodies = {
        "api.crossref.org": {"message": {"DOI": f"10.5555/{doi}", "title": [f"Work {doi}"], "ISSN": ["0378-5955"]}},
        "api.unpaywall.org": {"doi": f"10.5555/{doi}", "is_oa": False, "oa_locations": []},
        "api.openalex.org": {"doi": f"https://doi.org/10.5555/{doi}", "locations": []},
        "api.openpolicyfinder.jisc.ac.uk": {"items": []},
    }
    found = next((body for host, body in bodies.items() if f"//{host}/" in request.url), None)
    if found is None:
        return Fetched(request.url, 200, (), b"<html><title>A work</title><p>No file here.</p></html>", 0)
    return Fetched(request.url, 200, (), json.dumps(found).encode(), 0)


def _run(desk: SqliteDiscovery, count: int, *, is_mannered: bool = False) -> tuple[float, float]:
    """Search for so many works; return the seconds that passed and those that the processor worked."""
    options = {"discover_email": "a@b.test", "discover_openalex_key": "k", "discover_policy_key": "k"}
    settings = load(Path(tempfile.gettempdir()), environ={}, options={**options, "discover_threads": _THREADS})
    polite = Manners(_answered, 1.0) if is_mannered else _answered
    fetch = Remembering(polite, desk, time.time)
    work = Discovering(_Works(), desk, fetch, settings, steps())  # type: ignore[arg-type] - what a search reads of it
    desk.enlist("bench", [(f"oai:g.example.org:bench/{n}", str(n)) for n in range(count)], count, 0)
    began, worked = time.monotonic(), time.process_time()
    assert sum(1 for _ in work.run()) == count
    return time.monotonic() - began, time.process_time() - worked


def rows(_records: int) -> Iterator[Row]:
    """Measure the search for 2,000 works, once more for all of them, and a few with manners."""
    count = min(_WORKS, _records)
    with tempfile.TemporaryDirectory() as folder:
        desk = open_discovery(Path(folder))
        seconds, worked = _run(desk, count)
        yield Row("works searched for in a minute, answers taking 200 ms", 60 * count / seconds, 200, is_least=True)
        yield Row("processor seconds per 1,000 works, without texts", 1000 * worked / count, 60, unit=" s")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Row("memory of the process", memory, 300, unit=" MB")
        desk.renew(2**40, [], 0)
        again, _ = _run(desk, count)
        yield Row("a second search of the same works, against the first", again / seconds, 0.2)
        desk.close()
    with tempfile.TemporaryDirectory() as folder:
        desk = open_discovery(Path(folder))
        few = min(_WITH_MANNERS, count)
        polite, _ = _run(desk, few, is_mannered=True)
        hours = polite / few * _LARO / 3600
        note = f"LARO's {_LARO:,} DOIs would take {hours:.1f} hours; one page host for all is the worst there is"
        yield Row("works in a minute, with manners", 60 * few / polite, 40, is_least=True, note=note)
        desk.close()


if __name__ == "__main__":
    main(rows, _WORKS)
