"""The graph: how long an export takes and how much memory it needs, and how long loading it takes.

`python -m tests.bench.graph --records 50000` is quicker; its times are extrapolated, since both grow with the items.
Every second item was searched for: it has a policy, two subjects of Crossref and three copies.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gateway.core.model import Candidate, Outcome, Selection
from gateway.core.names import source_of, upstream_identifier
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.store.base import Store
from tests.bench import stores
from tests.bench.doubles import issn_of
from tests.bench.runs import Row, called
from tests.opening import open_discovery, open_store

_EXPORTED, _LOADED = 1_000_000, 100_000  # the items of the figures
_BATCH = 1000


def _identifiers(store: Store) -> Iterator[str]:
    after = 0
    while True:
        with store.view() as view:
            resources = view.resources(Selection("oai_dc"), after, view.last_item(), _BATCH)
        if not resources:
            return
        yield from (resource.identifier for resource in resources)
        after = resources[-1].item


def _search(folder: Path) -> None:
    """Let every second item of a store be searched for."""
    with closing(open_store(folder)) as store, closing(open_discovery(folder)) as discovery:
        for place, identifier in enumerate(_identifiers(store)):
            if place % 2:
                upstream = upstream_identifier(identifier)
                discovery.enlist(source_of(identifier), [(identifier, upstream)], place, 1)
                lease = discovery.lease(2, 60, identifier=identifier)
                discovery.done(lease, "success", search_as_json(_result(place)), 3)


def _result(place: int) -> SearchResult:
    url = f"https://files.example/{place}/"
    found = Candidate(url, "unpaywall", outcome=Outcome.SUCCESS, mime_type="application/pdf", size=place, score=0.6)
    copies = (
        found._replace(url=f"{url}{number}", final_url=f"{url}{number}", sha256=f"{place:062x}{number:02}")
        for number in range(3)
    )
    issn = issn_of(1_000_000 + place % 5000 * 1000)
    policy = Policy(Colour.GREEN, "A journal", ("A publisher",), (issn,), (Permission(("accepted",), (), 12),))
    return SearchResult(Outcome.SUCCESS, (), tuple(copies), policy, published="2025", subjects=("Ecology", "Physics"))


def rows(records: int) -> Iterator[Row]:
    """Measure an export of a store of so many items, and loading it."""
    stored = stores.of(records)
    if not (stored.folder / "discovery.sqlite").exists():
        print("    searching ...", flush=True)
        _search(stored.folder)
    with tempfile.TemporaryDirectory(dir=stored.folder.parent) as scratch:
        for format_ in ("neo4j", "graphml"):
            folder = Path(scratch) / format_
            done = called("harvester", stored.folder, "--quiet", "graph", "export", str(folder), "--as", format_)
            size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
            note = f"{records:,} items in {done.seconds:.0f} s, extrapolated; {size:,.0f} MiB of files"
            whole = done.seconds / 60 * _EXPORTED / records
            yield Row(f"graph: export of 1,000,000 items as {format_}", whole, 10, unit=" min", note=note)
            yield Row(f"graph: memory of an export as {format_}", done.samples.largest, 150, unit=" MiB")
        done = called("harvester", stored.folder, "--quiet", "graph", "load", str(Path(scratch) / "neo4j"))
    shutil.rmtree(stored.folder / "graph")
    note = f"{records:,} items in {done.seconds:.0f} s, extrapolated; {done.samples.largest:.0f} MiB of memory"
    yield Row("graph: loading 100,000 items", done.seconds * _LOADED / records, 60, unit=" s", note=note)
