"""What it costs on a clean endpoint that a harvest withstands the others: against a plain one, to the same store.

The plain harvest goes from token to token and commits each page as the pipeline does, with the same parser, the same
inbox and the same publication; it has no ladder, no guards, no profile and no check, and asks with bare requests.
Run as a process: `python -m tests.bench.clean FOLDER URL`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import requests

from gateway.core.model import Cursor, RawPage, Source
from harvester.harvest.instance import Instance, opened
from harvester.harvest.publishing.publication import Publication
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Silence
from harvester.sources.oai_pmh.answers import parse_list
from tests.bench.runs import Done, harvested
from tests.bench.source import serving
from tests.bench.table import Row

_MOST = 50_000  # records; the ratio does not depend on more
_PLAIN = (sys.executable, "-m", "tests.bench.clean")
_ROUNDS = 3  # in turn, of which the quickest counts: what disturbs one of them makes it slower only


def rows(records: int) -> Iterator[Row]:
    """Measure both, in turn."""
    records = min(records, _MOST)
    ours, plain = list[Done](), list[Done]()
    with serving(records) as source:
        for _ in range(_ROUNDS if records == _MOST else 1):
            ours.append(harvested({"corpus": source}, records))
            plain.append(harvested({"corpus": source}, records, program=_PLAIN))
    what = "a harvest that withstands faults, against a plain one, clean endpoint"
    times_by_kind = [" ".join(f"{cost.seconds:.2f}" for cost in sorted(costs)) for costs in (ours, plain)]
    note = f"{records:,} records into the store, processes and all: {times_by_kind[0]} s against {times_by_kind[1]} s"
    times = min(cost.seconds for cost in ours) / min(cost.seconds for cost in plain)
    yield Row(what, times, 1.15, note=note)
    first, second = (min(cost.processors for cost in costs) for costs in (ours, plain))
    yield Row("the same in time of the processors", first / second, 1.15, note=f"{first:.2f} s against {second:.2f} s")


def _plainly(instance: Instance, url: str) -> None:
    """Harvest from token to token and publish."""
    entry = instance.sources.entry("corpus")
    instance.store.add_source(Source(entry.name, entry.url, entry.kind))
    session = requests.Session()
    wanted = {"metadataPrefix": "oai_dc"}
    with Publication(instance, entry, Silence(), Stop()) as publication:
        while wanted:
            answer = session.get(url, params={"verb": "ListRecords", **wanted}, timeout=60)
            listed = parse_list(answer.content, answer.headers["Content-Type"])
            token = listed.token.text if listed.token else ""
            headers = tuple(answer.headers.items())
            page = RawPage(
                "corpus", "ListRecords", answer.url, int(time.time()), 200, headers, answer.content, "oai_dc"
            )
            instance.inbox.receive(page, listed.slices, Cursor("corpus", "oai_dc", "", token))
            publication.feed(len(listed.slices))
            wanted = {"resumptionToken": token} if token else {}
        publication.finish()


if __name__ == "__main__":
    with opened(sys.argv[1]) as instance:
        _plainly(instance, sys.argv[2])
