"""Ten thousand sources, a million searches: the processor time of `tend` with nothing due, `status`, pages, a lease."""

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from time import time

from gateway import create_app
from gateway.core.instance_folder import DISCOVERY, INBOX, STORE
from tests import live
from tests.bench.runs import Row, milliseconds, run
from tests.opening import open_discovery, open_inbox

_SETS, _RUNS = 20, 50  # of each source
_TIMES = 20  # that each page is requested
_LEASES = 30  # no more than are due of one source
_DAY_SECONDS = 86_400


def rows(records: int) -> Iterator[Row]:
    """Measure with so many searches, and a source for each hundred of them."""
    count = max(records // 100, 1)
    with tempfile.TemporaryDirectory() as place:
        folder = made(Path(place), count, records)
        note = f"{count:,} sources with {_RUNS} runs and {_SETS} sets each, {records:,} searches"
        for command in ("tend", "status"):
            done = run(live.command("harvester", folder, command), may_fail=True)
            yield Row(f"harvester {command}, nothing due, processor", done.processors, 3, unit=" s", note=note)
        client = create_app(folder).test_client()
        for path in ("/", "/sources", "/index.json", "/sources.json", "/oai?verb=Identify"):
            figure = milliseconds(partial(client.get, path), _TIMES)
            size = len(client.get(path).data)
            yield Row(path, figure, 100, unit=" ms", note=f"{size:,} bytes, in process, what is cached included")
        with closing(open_discovery(folder)) as discovery:
            for sources in ((), (_name(0),)):
                figure = milliseconds(partial(discovery.lease, int(time()), 60, sources), min(_LEASES, records))
                yield Row(f"a lease, {'of one source' if sources else 'of all sources'}", figure, 1, unit=" ms")


def made(folder: Path, sources: int, searches: int) -> Path:
    """Make an instance by SQL: nothing is due, and the last harvest of every source was complete."""
    now, names = int(time()), [_name(number) for number in range(sources)]
    live.instance(folder, {})
    addresses = {name: f"https://{name}.example.org/oai" for name in names}
    entries = (f'[{name}]\nurl = "{url}"\nevery = "1d"\n' for name, url in addresses.items())
    (folder / "sources.toml").write_text("\n".join(entries))
    open_inbox(folder, create=True).close()
    open_discovery(folder).close()
    _fill(
        folder / STORE,
        "source (name, base_url, kind, is_removed, items)",
        ((name, url, "oai_pmh", 0, number) for number, (name, url) in enumerate(addresses.items())),
    )
    sets = ((f"source:{name}:{number}", f"Set {number}", b"") for name, number in product(names, range(_SETS)))
    _fill(folder / STORE, "collection (spec, name, description)", sets)
    notes = ((name, json.dumps({"source": {"name": name}, "facts": "", "formats": []})) for name in names)
    _fill(folder / INBOX, "source (name, note)", notes)
    identities = ((name, *[json.dumps([name, f"The repository {name}", ""])] * 2, "", 0) for name in names)
    _fill(folder / INBOX, "identity", identities)
    begun = ((name, now - 60 - days * _DAY_SECONDS) for days, name in product(range(_RUNS - 1, -1, -1), names))
    _fill(
        folder / INBOX,
        "run (source, started_at, ended_at, outcome, is_complete, counts, reasons)",
        ((name, at, at + 30, "succeeded", 1, '{"received": 10, "published": 2}', "[]") for name, at in begun),
    )
    items = ((number, names[number % sources]) for number in range(searches))
    _fill(
        folder / DISCOVERY,
        "search (identifier, source, upstream, state, due, outcome, searched_at)",
        (
            (
                f"oai:g.example.org:{name}/{n}",
                name,
                str(n),
                *(("done", 0, "not-oa", now) if n % 3 else ("due", n, "", 0)),
            )
            for n, name in items
        ),
    )
    return folder


def _fill(file: Path, columns: str, rows_: Iterable[tuple[object, ...]]) -> None:
    rows_ = iter(rows_)
    first = next(rows_)
    with closing(sqlite3.connect(file)) as connection, connection:
        query = f"insert into {columns} values ({', '.join('?' * len(first))})"
        connection.execute(query, first)
        connection.executemany(query, rows_)


def _name(number: int) -> str:
    return f"source{number:05}"
