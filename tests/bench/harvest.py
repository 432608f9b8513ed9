"""What harvesting costs: a harvest into the store, both formats published, against sickle merely reading.

And what it brings to harvest in windows, and several endpoints at once, where each answer is as late as real ones are.
An index of Solr is harvested from the first request to the last record published.
"""

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import sickle

from tests import live
from tests.bench.corpus import WORKS
from tests.bench.runs import Row, called, harvested, scratch
from tests.bench.source import serving
from tests.sample import solr

# Sickle needs minutes for a million, and its rate does not depend on the number.
_COMPARED = 100_000
_LATENCY, _SIZE = 0.3, 100  # seconds before every answer, and records of a page, as many repositories have them
_UNTIL = "until = '2024-12-31'\n"  # all that the source has: no window is planned for later years
_SLICED = f"{_UNTIL}slice = 'month'\n"
_MOST = 5_000  # records of each endpoint
# Eight ways to write one loopback address: to the harvester they are eight hosts.
_HOSTS = ("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f.1", "0177.1", "0x7f000001")
_DOCUMENTS, _FULLTEXTS = 25_415, 1_023  # of LARO


def rows(records: int) -> Iterator[Row]:
    """Measure all harvests."""
    yield from _compared(records)
    yield from _windows(min(records, WORKS))
    yield _parallel(min(records // len(_HOSTS), _MOST))
    yield _solr(min(records, _DOCUMENTS))


def _compared(records: int) -> Iterator[Row]:
    """Measure the rate of both clients, then what a large harvest holds in memory."""
    compared = min(records, _COMPARED)
    with serving(compared) as source:
        theirs = _read_by_sickle(source, compared)
        ours, processors, samples, *_, trail = harvested({"corpus": source}, compared)
    behind = ours - trail
    note = f"{compared / behind:,.0f} and {compared / theirs:,.0f} records/s, {compared:,} records, processes and all"
    yield Row("harvest into the store, against sickle merely reading", theirs / behind, 0.6, is_least=True, note=note)
    yield Row("processor for each record, all processes, index included", processors / compared * 1e6, 260, unit=" µs")
    yield Row("the search index is complete, after the harvest of these", trail, 30, unit=" s")
    if records > compared:
        with serving(records) as source:
            ours, _, samples, *_ = harvested({"corpus": source}, records)
    note = f"{records / ours:,.0f} records/s"
    what = f"memory of each harvester process while {records:,} records pass"
    yield Row(what, samples.largest, 150, unit=" MiB", note=note)


def _read_by_sickle(source: str, records: int) -> float:
    """Return the seconds that sickle needs to read every record."""
    started = time.monotonic()
    read = sum(1 for _ in sickle.Sickle(source).ListRecords(metadataPrefix="oai_dc"))
    assert read == records, f"sickle read {read} of {records} records"
    return time.monotonic() - started


def _windows(records: int) -> Iterator[Row]:
    """Measure the harvest of the same source in three ways."""
    with serving(records, _LATENCY, _SIZE) as source:
        plain = harvested({"corpus": source}, records, _UNTIL).seconds
        one = harvested({"corpus": source}, records, _SLICED).seconds
        four = harvested({"corpus": source}, records, f"{_SLICED}connections = 4\n").seconds
    note = f"{records:,} records, pages of {_SIZE}, 300 ms each: {records / plain:,.0f} records/s by tokens"
    yield Row("rate in windows, one after the other, against plain tokens", plain / one, 0.9, is_least=True, note=note)
    note = f"{records / one:,.0f} records/s in windows of a month, {records / four:,.0f} in four of them at once"
    yield Row("rate in four windows at once, against plain tokens", plain / four, 2.5, is_least=True, note=note)


def _parallel(share: int) -> Row:
    """Measure one endpoint alone, then all eight at once."""
    with serving(share, _LATENCY, _SIZE) as source:
        one = harvested(_named(source, _HOSTS[:1]), share, is_checked=True).seconds
        eight = harvested(_named(source, _HOSTS), share, is_checked=True).seconds
    note = f"{share:,} records each: one in {one:.1f} s, eight in {eight:.1f} s, processes and all"
    times = len(_HOSTS) * one / eight
    return Row("eight endpoints with 300 ms latency at once, against one", times, 6, is_least=True, note=note)


def _named(source: str, hosts: tuple[str, ...]) -> dict[str, str]:
    parts = urlsplit(source)
    return {f"endpoint-{place}": f"http://{host}:{parts.port}{parts.path}" for place, host in enumerate(hosts)}


def _solr(count: int) -> Row:
    """Measure the rate of one harvest of LARO's documents, all processes included."""
    index = solr.Index(solr.laro(count, _FULLTEXTS))
    with solr.serving(index) as core, scratch() as place:
        folder = live.instance(place, {})
        called("harvester", folder, "source", "add", "laro", core, "--kind", "solr")
        seconds = called("harvester", folder, "run", "laro").seconds
    # What a library's own cursorMark feed was measured to give (hathitrust/oai_solr); we must not be what slows it.
    note = f"{count:,} documents in {seconds:.1f} s, processes and all; the index answers from this process"
    what = "documents of a Solr index harvested and published"
    return Row(what, count / seconds, 300, is_least=True, unit="/s", note=note)
