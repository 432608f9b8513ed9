"""What it brings to harvest several endpoints at once: eight of them, each as slow as real ones are, against one."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from gateway.store.opening import open_store
from tests import live
from tests.bench.source import serving
from tests.bench.table import Row, main

_LATENCY = 0.3  # seconds before every answer
_SIZE = 100  # records of a page, as many repositories have it
_MOST = 5_000  # records of each endpoint
# Eight ways to write one loopback address: to the harvester they are eight hosts.
_HOSTS = ("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f.1", "0177.1", "0x7f000001")


def rows(records: int) -> Iterator[Row]:
    """Measure one endpoint alone, then all eight at once."""
    share = min(records // len(_HOSTS), _MOST)
    with serving(share, _LATENCY, _SIZE) as source:
        one = _harvested(_named(source, _HOSTS[:1]), share)
        eight = _harvested(_named(source, _HOSTS), share)
    note = f"{share:,} records each: one in {one:.1f} s, eight in {eight:.1f} s, processes and all"
    times = len(_HOSTS) * one / eight
    yield Row("eight endpoints with 300 ms latency at once, against one", times, 6, is_least=True, note=note)


def _named(source: str, hosts: tuple[str, ...]) -> dict[str, tuple[str, tuple[str, ...]]]:
    parts = urlsplit(source)
    return {
        f"endpoint-{place}": (f"http://{host}:{parts.port}{parts.path}", ("oai_dc",))
        for place, host in enumerate(hosts)
    }


def _harvested(sources: Mapping[str, tuple[str, tuple[str, ...]]], records: int) -> float:
    """Return the seconds that `harvester run --all` needs, from its start to its end."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = live.instance(Path(scratch), sources)
        started = time.monotonic()
        done = subprocess.run(
            live.command("harvester", folder, "run", "--all"), capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - started
        assert done.returncode == 0, done.stderr
        with closing(open_store(folder)) as store:
            held = {name: store.counts(name)["items"] for name in sources}
            assert store.check() == ()
        assert held == dict.fromkeys(sources, records), held
    return seconds


if __name__ == "__main__":
    main(rows)
