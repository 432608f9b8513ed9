"""From a person's decision to the published DIDL, in a large store: the function that pages and commands call.

Each of 40 files of a store of a million items is accepted, and half of them are rejected again. Times are those of a
clock: what people wait for is mostly the disk.
"""

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter

from gateway.core.model import Candidate, Cursor, Decision, Outcome, RawPage, Slice, Source
from gateway.fulltext.deciding import Decide
from gateway.fulltext.found_copies import copies_of_result
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.publish.mapping import SourceFacts
from gateway.publish.publish import publish_pending
from gateway.store.base import Discovery, Store
from tests.applications import application
from tests.bench import review_list, stores
from tests.bench.runs import Row
from tests.opening import open_discovery, open_inbox, open_store
from tests.publish.harness import ADDRESS, dc

_ITEMS = 40
_WARM = 4  # the first ones, which open files
_DOMAIN = "live.example.org"  # of the stores of benches
_COPIES = 100_000  # that wait for others


def rows(records: int) -> Iterator[Row]:
    """Measure decisions in a copy of the store of so many items."""
    stored = stores.of(records)
    with tempfile.TemporaryDirectory(dir=stored.folder.parent) as scratch:
        folder = Path(scratch) / "instance"
        shutil.copytree(stored.folder, folder)
        _publish(folder)
        with closing(open_discovery(folder)) as discovery:
            review_list.fill(discovery, min(_COPIES, records))
            _enlist(discovery, records)
            _find(discovery)
        with application(folder) as app:
            discovery, decide, store = (app.extensions[name] for name in ("discovery", "decide", "store"))
            accepted = [_seconds(discovery.open(), decide, number, "accept") for number in range(_ITEMS)]
            assert _has_file(store, 0)
            rejected = [_seconds(discovery.open(), decide, number, "reject") for number in range(_ITEMS // 2)]
            assert not _has_file(store, 0)
    for verb, seconds in (("accept", accepted[_WARM:]), ("reject", rejected)):
        note = f"median; the slowest of {len(seconds)} took {max(seconds) * 1000:.0f} ms"
        what = f"{verb} to published DIDL, store of {records:,} items"
        yield Row(what, statistics.median(seconds) * 1000, 100, unit=" ms", note=note)


def _identifier(number: int) -> str:
    return f"oai:{_DOMAIN}:decided/{number}"


def _publish(folder: Path) -> None:
    """Harvest and publish the items whose files are decided on."""
    payload = dc("A title of a work on which somebody decides")
    slices = [Slice(str(number), "2020-01-01", (), False, 0, len(payload), ()) for number in range(_ITEMS)]
    page = RawPage("decided", "ListRecords", ADDRESS, 1, 200, (), payload, "oai_dc", "", b"", (), None)
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        store.add_source(Source("decided", ADDRESS))
        inbox.receive(page, slices, Cursor("decided", "oai_dc"))
        publish_pending(store, inbox, "decided", SourceFacts("decided", ADDRESS, _DOMAIN), limit_pages=1)


def _enlist(discovery: Discovery, items: int) -> None:
    """List the items of the store, as if they were to be searched for."""
    for first in range(0, items, 10_000):
        numbers = range(first, min(items, first + 10_000))
        discovery.enlist(
            "corpus", [(f"oai:{_DOMAIN}:corpus/{number:07}", f"{number:07}") for number in numbers], first, 1
        )


def _find(discovery: Discovery) -> None:
    """Store a search for each item that found a file, on which no rule decided."""
    discovery.enlist("decided", [(_identifier(number), str(number)) for number in range(_ITEMS)], _ITEMS, 1)
    for number in range(_ITEMS):
        identifier, url, digest = _identifier(number), f"https://one.example.net/{number}.pdf", f"{number:064x}"
        lease = discovery.lease(1, 60, identifier=identifier)
        assert lease is not None
        candidate = Candidate(url, "unpaywall", outcome=Outcome.SUCCESS, mime_type="application/pdf", sha256=digest)
        searched = SearchResult(Outcome.SUCCESS, candidates=(candidate,))
        first = Decision(identifier, url, digest, "review", "The score 0.21 is too low to decide.", "rule", 1)
        copies = copies_of_result(identifier, "decided", searched, lambda _: "one.example.net")
        discovery.done(lease, "success", search_as_json(searched), 1, lambda _, first=first: (first,), copies=copies)  # type: ignore[misc]


def _seconds(discovery: Discovery, decide: Decide, number: int, verdict: str) -> float:
    last = discovery.decisions(_identifier(number))[-1]
    begun = perf_counter()
    decided = decide(last._replace(verdict=verdict, decided_by="anna"))
    seconds = perf_counter() - begun
    assert decided.stamped, decided
    return seconds


def _has_file(store: Store, number: int) -> bool:
    with store.view() as view:
        record = view.record(_identifier(number), "oai_didl")
    return record is not None and b"https://one.example.net/" in record.content
