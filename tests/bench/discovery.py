"""How fast works are searched for, where every answer takes 200 ms: with and without the pauses that manners ask for.

The web is on loopback (`doubles`), connections and the store of searches are real. No work has a file, so no text is
read: `verification` measures that.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.http.urls import host_of
from tests.bench.doubles import HOSTS, serving
from tests.bench.searching import searched
from tests.bench.table import Row, main
from tests.fulltext.kinds import FURTHER, KINDS, POLICY
from tests.fulltext.web import SETTINGS, RecordedWeb

_WORKS = 2000
_LARO = 21_798  # DOIs of LARO, of which Autoload had to go through
_THREADS = 8


def rows(records: int) -> Iterator[Row]:
    """Measure the search for 2,000 works without pauses, the same with manners, and once more for all of them."""
    count = min(_WORKS, records)
    with serving() as port:
        with tempfile.TemporaryDirectory() as folder:
            figures = searched(Path(folder), port, count, _THREADS)
        pace = 60 * count / figures["seconds"]
        yield Row("works searched for in a minute, answers taking 200 ms, no pauses", pace, 200, is_least=True)
        yield Row("processor seconds per 1,000 works, without texts", 1000 * figures["cpu"] / count, 40, unit=" s")
        note = "robots.txt and further services not counted"
        yield Row("requests for a closed work, from the doubles", figures["counted"] / count, 6, note=note)
        yield from _by_kind()
        with tempfile.TemporaryDirectory() as folder:
            polite = searched(Path(folder), port, count, _THREADS, is_mannered=True)
            second = searched(Path(folder), port, count, _THREADS, is_mannered=True)
            again = searched(Path(folder), port, count, _THREADS, is_mannered=True, is_again=True)
    pace = 60 * count / polite["seconds"]
    note = f"pages on {HOSTS} hosts; LARO's {_LARO:,} DOIs would take {_LARO / pace / 60:.1f} hours"
    yield Row("works searched for in a minute, with manners", pace, 100, is_least=True, note=note)
    yield Row("memory of the process", polite["memory"], 300, unit=" MB")
    yield Row("files and connections open at the end", polite["connections"], 150)
    yield Row("a second run, nothing being due: seconds", second["seconds"], 0.1, unit=" s")
    yield Row("all searched for again while answers hold: requests", again["requests"], 0)
    yield Row("all searched for again: processor seconds per 1,000", 1000 * again["cpu"] / count, 40, unit=" s")


def _by_kind() -> Iterator[Row]:
    """Return how many requests a work takes, by how open it is; the web answers from memory."""
    for name, kind in KINDS.items():
        web = RecordedWeb({**kind.own, **POLICY}, has_recordings=False)
        outcome = search(kind.about, steps(), web, SETTINGS, at=1_700_000_000, most_files=6)
        further = sum(host_of(url) in FURTHER for url in web.asked)
        note = f"{outcome.outcome}, {further} of further services not counted"
        yield Row(f"requests for a work: {name}", len(web.asked) - further, kind.requests, note=note)


if __name__ == "__main__":
    main(rows, _WORKS)
