"""What benches share: rows of the table, a server and other work beside them, a command with what it cost."""

import os
import subprocess
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any, NamedTuple

from tests import live
from tests.bench.client import rate
from tests.bench.memory import Samples, sampled
from tests.opening import open_inbox, open_store

_RECORDS = 1_000_000
_WIDTH = 74


class Row(NamedTuple):
    """One figure. `limit` is the most it may be, or with `is_least` the least; `note` says what it was made of."""

    what: str
    figure: float
    limit: float
    is_least: bool = False
    unit: str = ""
    note: str = ""

    @property
    def keeps(self) -> bool:
        """Tell whether the figure keeps its limit."""
        return self.figure >= self.limit if self.is_least else self.figure <= self.limit


def main(*benches: str) -> None:
    """Measure benches, or those of them that are named, with as many records as `--records` says."""
    parser = ArgumentParser(description="Measure, and print figure, limit and verdict.")
    parser.add_argument("benches", nargs="*", default=benches, help=f"of {', '.join(benches)}; default: all")
    parser.add_argument("--records", type=int, default=_RECORDS, help=f"the size of the corpus (default {_RECORDS:,})")
    wanted = parser.parse_args()
    print(f"{'what':<{_WIDTH}} {'figure':>12}  {'limit':>12}  verdict", flush=True)
    for bench in wanted.benches:
        for row in import_module(f"tests.bench.{bench}").rows(wanted.records):
            sign = "≥" if row.is_least else "≤"
            figure, limit = f"{row.figure:.3g}{row.unit}", f"{sign} {row.limit:g}{row.unit}"
            print(f"{row.what:<{_WIDTH}} {figure:>12}  {limit:>12}  {'keeps' if row.keeps else 'BREAKS'}")
            if row.note:
                print(f"    {row.note}", flush=True)


ROOT = Path(__file__).resolve().parents[2]
GZIP = ("Accept-Encoding: gzip",)
_SMALL = 100_000  # a smaller corpus is too small for figures


class Done(NamedTuple):
    """What a command took: seconds of the clock and of processors, and memory, its children's too; what it wrote.

    `trail` is how many of the seconds a harvest took for the search index after its end.
    """

    seconds: float
    processors: float
    samples: Samples
    output: str
    errors: str
    trail: float = 0.0


class Quiet(BaseHTTPRequestHandler):
    """Answers over connections that are kept, and logs nothing: a line would cost more than a request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self) -> None:
        """Answer a request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer."""
        self.answer()

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_arguments: object) -> None:
        """Write nothing."""

    def reply(self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serving(handler: type[Quiet]) -> Iterator[int]:
    """Serve on every address of loopback, from a process of its own; the value is the port."""
    server = _Server(("", 0), handler)
    process = get_context("fork").Process(target=server.serve_forever, daemon=True)
    process.start()
    server.server_close()
    try:
        yield server.server_port
    finally:
        process.terminate()
        process.join()


@contextmanager
def meanwhile(work: Callable[[Event], Counter[int]]) -> Iterator[Counter[int]]:
    """Do a work in a process of its own until the event comes; the value gets what it has counted, at its end."""
    context, counted = get_context("fork"), Counter[int]()
    ended, results = context.Event(), context.SimpleQueue()
    process = context.Process(target=lambda: results.put(work(ended)), daemon=True)
    process.start()
    yield counted
    ended.set()
    counted.update(results.get())
    process.join()


def apart(function: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """Call a function in a process that has done nothing before, and return what it returns."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments, more)


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder on a disk, which memory is not counted for."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def run(line: Sequence[str], env: Mapping[str, str] | None = None, *, may_fail: bool = False) -> Done:
    """Run a command to its end, which must be a success unless it `may_fail`."""
    begun, before = time.monotonic(), getrusage(RUSAGE_CHILDREN)
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(line, cwd=ROOT, env=env, text=True, stdout=pipe, stderr=pipe) as process,
        sampled(process.pid) as samples,
    ):
        output, errors = process.communicate()
        seconds = time.monotonic() - begun
    after = getrusage(RUSAGE_CHILDREN)
    assert may_fail or process.returncode == 0, errors
    processors = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Done(seconds, processors, samples, output, errors)


def called(program: str, folder: Path, *words: str, **settings: object) -> Done:
    """Run `gateway` or `harvester` on an instance to its end, which must be a success."""
    return run(live.command(program, folder, *words), live.unmeasured(live.environment(settings)))


def harvested(sources: Mapping[str, str], records: int, entry: str = "", *, is_checked: bool = False) -> Done:
    """Harvest so many records of each source into a new store, from the start of the process to its end.

    `entry` is what else stands in the entry of the last source.
    """
    with scratch() as place:
        folder = live.instance(place, {name: (url, ("oai_dc",)) for name, url in sources.items()})
        with (folder / "sources.toml").open("a") as file:
            file.write(entry)
        ours = live.command("harvester", folder, "run", *(sources if len(sources) == 1 else ["--all"]))
        done, now = run(ours), time.time()
        with closing(open_inbox(folder)) as inbox:
            ended_at = max(last.ended_at or 0 for name in sources for last in inbox.runs(name, 1))
        with closing(open_store(folder)) as store:
            stored = {name: store.counts(name)["items"] for name in sources}
            assert not is_checked or store.check() == ()
        assert stored == dict.fromkeys(sources, records), stored
    return done._replace(trail=max(0.0, now - ended_at - 0.5))  # the end is known in whole seconds


def rounds(records: int, rounds: int, seconds: float) -> tuple[int, float]:
    """Return how often a measurement is repeated, and its seconds; with a corpus too small for figures it is short."""
    return (rounds, seconds) if records >= _SMALL else (1, 1.0)


def beside(
    urls: Sequence[str],
    count: int,
    seconds: float,
    disturbed: Callable[[], AbstractContextManager[Mapping[Any, int]]],
) -> tuple[float, str]:
    """Return the rate of answers beside a disturbance, of that alone, both measured in turn, with a note.

    The value of the disturbance gets the numbers of its own answers by status, at its end.
    """
    alone, disturbed_rates, answers = [], [], Counter[object]()
    for _ in range(count):
        alone.append(rate(urls, seconds))
        with disturbed() as counts:
            rate(urls, 0.5)  # until all connections are open
            disturbed_rates.append(rate(urls, seconds))
        answers.update(counts)
    note = f"medians {median(disturbed_rates):.0f} and {median(alone):.0f} lists/s; its answers: {dict(answers)}"
    return median(disturbed_rates) / median(alone), note


def in_threads(work: Callable[[int], object], count: int) -> None:
    """Do a work with each number in a thread of its own."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def milliseconds(work: Callable[[], object], times: int) -> float:
    """Return the median time of the processor that a work takes."""

    def once() -> float:
        begun = time.process_time()
        work()
        return (time.process_time() - begun) * 1000

    work()
    return median(once() for _ in range(times))


def worked(processes: Sequence[int]) -> float:
    """Return how many seconds of the processor processes have used."""
    rows = [Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in processes]
    return sum(int(fields[11]) + int(fields[12]) for fields in rows) / os.sysconf("SC_CLK_TCK")
