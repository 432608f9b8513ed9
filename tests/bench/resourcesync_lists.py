"""Our ResourceSync source: a list of a million, and copies by dumps and by OAI-PMH."""

import re
import time
import urllib.request
from collections.abc import Iterator

from tests import live
from tests.bench import stores
from tests.bench.memory import MIB, anonymous, family, sampled
from tests.bench.runs import Row, called, scratch, worked

_COPIED = 20_000
_LISTS = "/resourcesync/oai_dc/source"
_LOC = re.compile(rb"<loc>([^<]*)</loc>")


def rows(records: int) -> Iterator[Row]:
    """Measure the lists of a store of so many items, then the rest with a smaller one."""
    yield from _list(records)
    yield from _copies(min(records, _COPIED))


def _list(records: int) -> Iterator[Row]:
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1) as server:
        site = server.url.removesuffix("/oai")
        _get(f"{site}{_LISTS}/capabilitylist.xml")
        workers = family(server.process)
        idle = max(anonymous(worker) for worker in workers)
        before, started = worked(workers), time.monotonic()
        with sampled(server.process) as samples:
            whole = _get(f"{site}{_LISTS}/resourcelist.xml")
            parts = _LOC.findall(whole) if b"<sitemapindex" in whole else ()
            entries = whole.count(b"<url>") + sum(_get(part.decode()).count(b"<url>") for part in parts)
        seconds, cpu = time.monotonic() - started, worked(workers) - before
        assert entries >= records - 1, entries
        note = f"{entries:,} entries in {seconds:.1f} s"
        yield Row("Resource List with its index: processor seconds", cpu, 10, unit=" s", note=note)
        yield Row("memory of a worker meanwhile, over idle", samples.largest - idle / MIB, 64, unit=" MiB")


def _copies(records: int) -> Iterator[Row]:
    """Measure a copy of all records by the dumps that `tend` keeps, and one by our OAI-PMH, each with publication."""
    stored = stores.of(records)
    port = live.free_port()
    settings = {"base_url": f"http://127.0.0.1:{port}/oai"}
    called("harvester", stored.folder, "tend", **settings)
    with live.served(stored.folder, "--port", str(port), **settings) as server:
        site = server.url.removesuffix("/oai")
        by_dump = _copied(site, "resourcesync")
        by_oai = _copied(server.url, "oai_pmh")
    note = f"{records / by_dump:,.0f} and {records / by_oai:,.0f} records/s, {records:,} records"
    yield Row("copy by our dumps: records/s", records / by_dump, 2_000, is_least=True, unit="/s", note=note)
    yield Row("copy by our dumps, against one by OAI-PMH", by_oai / by_dump, 0.8, is_least=True)


def _copied(url: str, kind: str) -> float:
    with scratch() as place:
        folder = live.instance(place, {})
        called("harvester", folder, "source", "add", "first", url, "--kind", kind, fetch_delay_seconds=0)
        if kind == "resourcesync":
            file = folder / "sources.toml"
            file.write_text(file.read_text().replace(url, f"{url}{_LISTS}/capabilitylist.xml"))
        return called("harvester", folder, "run", "first", fetch_delay_seconds=0).seconds


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        return bytes(answer.read())
