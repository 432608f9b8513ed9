"""What PostgreSQL costs: publication and pages of a store there, against those of one on SQLite, in turn.

One worker each, the same items, the settings of a new server.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from statistics import median

from gateway.core.model import Publication, Source
from tests import live
from tests.bench import stores
from tests.bench.client import Client, rate
from tests.bench.corpus import WORKS
from tests.bench.runs import GZIP, Row, called, rounds
from tests.opening import open_store
from tests.postgres import running

_BATCH = 1_000
_PAGES = 40


def rows(records: int) -> Iterator[Row]:
    """Measure both after each other, batch by batch and round by round."""
    with ExitStack() as stack:
        cluster = stack.enter_context(running(is_durable=True))
        cluster.run("create database bench")
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {"sqlite": "", "postgres": cluster.url("bench")}
        for name, url in urls.items():
            (place / name).mkdir()
            (place / name / "secret").write_text("a secret of the tests\n")
            called("gateway", place / name, "init", "--domain", "live.example.org", "--store", url)
        seconds = _published(place, urls, records)
        yield Row(
            "publication on PostgreSQL against SQLite", seconds["sqlite"] / seconds["postgres"], 0.4, is_least=True
        )
        servers = [stack.enter_context(live.served(place / name, serve_workers=1)) for name in urls]
        clients = [stack.enter_context(Client(server.url)) for server in servers]
        pages = [[page.url for page in islice(client.walk(metadataPrefix="oai_dc"), 1, _PAGES)] for client in clients]
        times, length = rounds(records, 3, 3.0)
        for what, headers, least in (("plain", (), 0.55), ("gzip", GZIP, 0.35)):
            rates = [[rate(urls, length, headers) for urls in pages] for _ in range(times)]
            files, server = (median(several) for several in zip(*rates, strict=True))
            note = f"medians {server:.0f} and {files:.0f} pages/s"
            yield Row(f"ListRecords, {what}, against SQLite", server / files, least, is_least=True, note=note)


def _published(place: Path, urls: dict[str, str], records: int) -> dict[str, float]:
    """Publish so many items in both stores; return the seconds that each needed."""
    works, formats = stores.mapped(min(records, WORKS))
    spent = dict.fromkeys(urls, 0.0)
    with ExitStack() as stack:
        opened = {name: stack.enter_context(closing(open_store(place / name, url=url))) for name, url in urls.items()}
        for store in opened.values():
            store.add_source(Source("corpus", "http://bench.example.org/oai"))
            for wanted in formats:
                store.add_format(wanted)
        changes = islice(stores.changes_of(works, 0, stores.Hands()), records)
        while batch := tuple(islice(changes, _BATCH)):
            for name, store in opened.items():
                begun = time.monotonic()
                store.publish(store.intend(), Publication("corpus", batch))
                spent[name] += time.monotonic() - begun
    return spent
