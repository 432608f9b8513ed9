"""How fast unchanged files are looked at again, on 200 hosts on loopback: with the usual pauses, and without them.

A recheck is a process of its own, so that what it costs is its alone; it prints JSON:
`python -m tests.bench.recheck FOLDER PORT FILES ROUNDS DELAY`; with `serve` instead of all that, it serves the
files. Names lead to the server at PORT; answers and connections are real ones, only TLS is left out.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

from gateway.fulltext.stored_files import Copies
from gateway.model import FileLook
from gateway.settings import load
from gateway.store.opening import open_discovery
from gateway.takedowns import Takedowns
from harvester.fulltext.polite_fetch import polite_anew, settings_for_other_hosts
from harvester.fulltext.recheck.run import Order, Recheck
from harvester.http.fetching import Web
from tests.bench import runs
from tests.bench.doubles import answer_lines
from tests.bench.table import Row, main
from tests.sample.web import a_pdf

HOSTS = 200
SOURCE = "bench"
FILE = a_pdf(*["A file of a repository, as small ones are"] * 400)
_ROBOTS = b"User-agent: *\nDisallow: /admin\n"
_WHOLE_EVERY = 4
_FILES, _ROUNDS = 10_000, 4
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


def recheck(folder: Path, port: int, count: int, rounds: int, *, delay: float) -> None:
    """Look at so many files in so many rounds, and print what each round cost."""
    options = {"discover_delay_seconds": delay, "recheck_whole_every": _WHOLE_EVERY}
    settings = load(folder, environ={}, options=options)
    desk = open_discovery(folder)
    digest = sha256(FILE).hexdigest()
    Copies(folder).keep(FILE)
    desk.looks.publish(
        {
            f"oai:g.example.org:bench/{number}": [
                FileLook(
                    f"oai:g.example.org:bench/{number}",
                    f"http://repository-{number % HOSTS}.example.com/files/{number}.pdf",
                    SOURCE,
                    f"repository-{number % HOSTS}.example.com",
                    digest,
                    is_named=False,
                    share=number % (1 << 20),
                )
            ]
            for number in range(count)
        }
    )
    with Web(
        settings_for_other_hosts(settings),
        allow=["127.0.0.1"],
        resolve=lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", port))],
    ) as web:
        polite = polite_anew(web, desk, settings, time.sleep)
        clock = [time.time()]
        work = Recheck(_Store(), desk, polite, settings, wait=polite.wait, clock=lambda: clock[0])  # type: ignore[arg-type]
        for number in range(1, rounds + 1):
            began, worked = time.monotonic(), time.process_time()
            effects = [str(result.effect) for result in work.run(Order({SOURCE: 0}))]
            clock[0] += 86_400
            figures = {
                "round": number,
                "is_whole": number == 1 or number % _WHOLE_EVERY == 0,
                "looks": len(effects),
                "unchanged": effects.count("unchanged"),
                "seconds": time.monotonic() - began,
                "cpu": time.process_time() - worked,
                "memory": _memory(),
            }
            print(json.dumps(figures), flush=True)
    desk.close()


def _memory() -> float:
    """Return the memory of this process in MiB, now."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def rechecked(folder: Path, port: int, count: int, rounds: int, delay: float) -> list[dict[str, float]]:
    """Run such a recheck in a process of its own, and return the figures of its rounds."""
    arguments = [str(folder), str(port), str(count), str(rounds), str(delay)]
    done = runs.run([sys.executable, "-m", "tests.bench.recheck", *arguments])
    return [json.loads(text) for text in done.output.splitlines()]


async def _file(path: str, received: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    if path == "/robots.txt":
        return 200, {"ETag": f'"{path}"'}, _ROBOTS
    status, body = (304, b"") if "if-none-match" in received else (200, FILE)
    return status, {"ETag": f'"{path}"'}, body


@contextmanager
def serving() -> Iterator[int]:
    """Serve the files from a process of its own; the port is the context's value."""
    with runs.serving("tests.bench.recheck", "serve") as port:
        yield int(port)


def rows(records: int) -> Iterator[Row]:
    """Measure two rounds with pauses, and four without: the first and the fourth fetch every file whole."""
    count = min(_FILES, records)
    with serving() as port:
        with tempfile.TemporaryDirectory() as folder:
            polite = rechecked(Path(folder), port, count, 2, _PAUSE)
        with tempfile.TemporaryDirectory() as folder:
            rounds = rechecked(Path(folder), port, count, _ROUNDS, 0.0)
    assert all(one["unchanged"] == count for one in (*polite, *rounds)), (polite, rounds)
    whole, conditional = (
        sum(one["seconds"] for one in rounds if one["is_whole"] is is_whole) / 2 for is_whole in (True, False)
    )
    note = f"{HOSTS} hosts with a pause of {_PAUSE:g} s each: at most {HOSTS * 60:,}"
    yield Row("files looked at in a minute, unchanged", 60 * count / polite[1]["seconds"], 10_000, True, note=note)
    yield Row("the same without pauses, conditional", 60 * count / conditional, 10_000, True)
    yield Row("the same without pauses, whole", 60 * count / whole, 10_000, True)
    yield Row("memory of the process after four rounds", rounds[-1]["memory"], 100, unit=" MiB")
    growth = rounds[-1]["memory"] - rounds[1]["memory"]
    yield Row("its growth from the second round to the fourth", growth, 5, unit=" MiB")
    yield Row("processor seconds per 1,000 files", 1000 * rounds[1]["cpu"] / count, 4, unit=" s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(answer_lines(_file))
    elif len(sys.argv) == 6:
        recheck(Path(sys.argv[1]), *map(int, sys.argv[2:5]), delay=float(sys.argv[5]))
    else:
        main(rows, _FILES)
