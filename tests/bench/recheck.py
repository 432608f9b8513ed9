"""How fast unchanged files are looked at again, on 200 hosts on loopback: with the usual pauses, and without them.

A recheck is a process of its own, so that what it costs is its alone.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

from gateway.core.model import FileRecheck
from gateway.core.settings import load
from gateway.core.takedowns import Takedowns
from gateway.fulltext.stored_files import Copies
from harvester.fulltext.polite_fetch import polite_anew, settings_for_other_hosts
from harvester.fulltext.recheck.run import Order, Recheck
from harvester.http.fetching import Web
from tests.bench import runs
from tests.bench.doubles import HOSTS, led_to
from tests.bench.memory import MIB, anonymous
from tests.bench.runs import Row
from tests.opening import open_discovery
from tests.sample.web import a_pdf

SOURCE = "bench"
FILE = a_pdf(*["A file of a repository, as small ones are"] * 400)
_ROBOTS = b"User-agent: *\nDisallow: /admin\n"
_WHOLE_EVERY = 4  # rounds
_FILES = 10_000
_PAUSE = 1.0  # seconds between two requests to a host, as `discover_delay_seconds` is


class _Store:
    """A store in which nothing has changed since the files were listed; only what a recheck reads of it."""

    def __init__(self) -> None:
        self._takedowns = Takedowns()

    @contextmanager
    def view(self) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(horizon=1, page=lambda *_: SimpleNamespace(records=(), next=None))

    def takedowns(self) -> Takedowns:
        """Return an empty list: nothing is withdrawn."""
        return self._takedowns


def rechecked(folder: Path, port: int, count: int, rounds: int, delay: float) -> list[dict[str, float]]:
    """Look at so many files in so many rounds, and return what each round cost.

    Names lead to the server at a port; answers and connections are real ones, only TLS is left out.
    """
    settings = load(folder, environ={}, options={"discover_delay_seconds": delay, "recheck_whole_every": _WHOLE_EVERY})
    discovery, figures = open_discovery(folder), []
    Copies(folder).keep(FILE)
    discovery.rechecks.publish({f"oai:g.example.org:bench/{number}": [_recheck(number)] for number in range(count)})
    with Web(settings_for_other_hosts(settings), allow=["127.0.0.1"], resolve=led_to(port)) as web:
        polite = polite_anew(web, discovery, settings, time.sleep)
        clock = [time.time()]
        work = Recheck(_Store(), discovery, polite, settings, wait=polite.wait, clock=lambda: clock[0])  # type: ignore[arg-type]
        for _ in range(rounds):
            began, worked = time.monotonic(), time.process_time()
            effects = [str(result.effect) for result in work.run(Order({SOURCE: 0}))]
            clock[0] += 86_400
            assert effects == ["unchanged"] * count
            cost = {"seconds": time.monotonic() - began, "cpu": time.process_time() - worked}
            figures.append({**cost, "memory": anonymous(os.getpid()) / MIB})
    discovery.close()
    return figures


def _recheck(number: int) -> FileRecheck:
    host = f"repository-{number % HOSTS}.example.com"
    url, digest = f"http://{host}/files/{number}.pdf", sha256(FILE).hexdigest()
    identifier = f"oai:g.example.org:bench/{number}"
    return FileRecheck(identifier, url, SOURCE, host, digest, is_named=False, share=number % (1 << 20))


class _Handler(runs.Quiet):
    def answer(self) -> None:
        tag = {"ETag": f'"{self.path}"'}
        if self.path == "/robots.txt":
            self.reply(_ROBOTS, headers=tag)
        elif "If-None-Match" in self.headers:
            self.reply(b"", 304, tag)
        else:
            self.reply(FILE, headers=tag)


def rows(records: int) -> Iterator[Row]:
    """Measure two rounds with pauses, and four without: the first and the fourth fetch every file whole."""
    count = min(_FILES, records)
    with runs.serving(_Handler) as port, tempfile.TemporaryDirectory() as folder:
        polite = runs.apart(rechecked, Path(folder) / "polite", port, count, 2, _PAUSE)
        rounds = runs.apart(rechecked, Path(folder) / "quick", port, count, _WHOLE_EVERY, 0.0)
    seconds = [one["seconds"] for one in rounds]
    note = f"{HOSTS} hosts with a pause of {_PAUSE:g} s each: at most {HOSTS * 60:,}"
    yield Row("files looked at in a minute, unchanged", 60 * count / polite[1]["seconds"], 10_000, True, note=note)
    yield Row("the same without pauses, conditional", 120 * count / (seconds[1] + seconds[2]), 10_000, True)
    yield Row("the same without pauses, whole", 120 * count / (seconds[0] + seconds[3]), 10_000, True)
    yield Row("memory of the process after four rounds", rounds[-1]["memory"], 100, unit=" MiB")
    growth = rounds[-1]["memory"] - rounds[1]["memory"]
    yield Row("its growth from the second round to the fourth", growth, 5, unit=" MiB")
    yield Row("processor seconds per 1,000 files", 1000 * rounds[1]["cpu"] / count, 4, unit=" s")
