"""What a harvester that comes every hour costs: the last hour of a large repository against that of a small one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from urllib.parse import urlencode

from gateway.xmltext import utc_datetime
from tests import live
from tests.bench import stores
from tests.bench.client import Client
from tests.bench.stores import Stored
from tests.bench.table import Row, main

_SMALL = 10_000
_ROUNDS = 40
_WARM = 5  # the first rounds, which open files
_HOUR_SECONDS = 3600


def rows(records: int) -> Iterator[Row]:
    """Measure both requests, of everything and within the rare set, on both stores in turn."""
    large, small = stores.of(records), stores.of(min(_SMALL, records))
    with (
        live.served(large.folder, serve_workers=1) as of_large,
        live.served(small.folder, serve_workers=1) as of_small,
        Client(of_large.url) as ask_large,
        Client(of_small.url) as ask_small,
    ):
        for words, within in (("", {}), (", within a set of 0.1 %", {"set": stores.RARE})):
            slow, fast = _medians(((ask_large, large), (ask_small, small)), within)
            note = f"medians {slow * 1000:.2f} ms and {fast * 1000:.2f} ms"
            what = f"last hour in {records:,} against in {small.items:,} records{words} (time)"
            yield Row(what, slow / fast, 1.5, note=note)


def _medians(asked: Sequence[tuple[Client, Stored]], within: dict[str, str]) -> list[float]:
    """Return the median time of each client's request, asked in turn."""
    times: list[list[float]] = [[] for _ in asked]
    sizes = set()
    for _ in range(_ROUNDS):
        for (client, stored), samples in zip(asked, times, strict=True):
            # A store may have been made on another day: its last hour is the one before its last publication.
            hour = utc_datetime(stored.last_datestamp - _HOUR_SECONDS)
            arguments = {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": hour, **within}
            page = client.ask(f"{client.url}?{urlencode(arguments)}")
            samples.append(page.seconds)
            sizes.add(page.body.count(b"<record>"))
    assert len(sizes) == 1, f"the last hours differ: {sizes} records"
    return [median(samples[_WARM:]) for samples in times]


if __name__ == "__main__":
    main(rows)
