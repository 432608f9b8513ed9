"""What synchronising costs: the memory of a list of a million, and a dump against one request for each record."""

from collections.abc import Iterator

from tests import live
from tests.bench.memory import Samples
from tests.bench.resourcesync_source import serving
from tests.bench.runs import Row, called, scratch

_COMPARED = 20_000


def rows(records: int) -> Iterator[Row]:
    """Measure a dump against single requests, then the memory that a list of all records takes."""
    compared = min(records, _COMPARED)
    single, _ = _run(compared, "--dry-run")
    packed, _ = _run(compared, "--dry-run", has_dump=True)
    rates = f"{compared / packed:,.0f} and {compared / single:,.0f} records/s without publication, {compared:,} records"
    yield Row("baseline from a dump, against a request for each", single / packed, 5, is_least=True, note=rates)
    seconds, samples = _run(records, "--max-records", "10")
    note = f"{seconds:.0f} s until the first record, the making of the list included"
    yield Row(f"memory while a list of {records:,} resources is read", samples.largest, 150, unit=" MiB", note=note)


def _run(records: int, *options: str, has_dump: bool = False) -> tuple[float, Samples]:
    """Return the seconds that `harvester run` needs, from its start to its end, and the memory it had."""
    with serving(records, has_dump=has_dump) as url, scratch() as place:
        folder = live.instance(place, {})
        called("harvester", folder, "source", "add", "many", url, "--kind", "resourcesync")
        done = called("harvester", folder, "run", "many", *options, fetch_delay_seconds=0)
        return done.seconds, done.samples
