"""What benches share: a process that serves, a command with what it cost, a harvest, and work that is timed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any, NamedTuple

from gateway.store.opening import open_store
from tests import live
from tests.bench.load import rate
from tests.bench.memory import Samples, sampled

ROOT = Path(__file__).resolve().parents[2]
_SMALL = 100_000  # a smaller corpus is too small for figures


class Done(NamedTuple):
    """What a command took: seconds of the clock and of processors, and memory, its children's too; what it wrote."""

    seconds: float
    processors: float
    samples: Samples
    output: str
    errors: str


class Quiet(BaseHTTPRequestHandler):
    """Answers over connections that are kept, and logs nothing: a line for every request would cost more than it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer."""
        self.answer()

    def do_POST(self) -> None:
        """Answer."""
        self.answer()

    def answer(self) -> None:
        """Answer a request."""
        raise NotImplementedError

    def log_message(self, *_arguments: object) -> None:
        """Write nothing."""

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(module: str, *arguments: object) -> Iterator[str]:
    """Run a module as a process that serves; the value is the line that it prints first."""
    line = [sys.executable, "-m", module, *map(str, arguments)]
    with subprocess.Popen(line, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


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


def harvested(
    sources: Mapping[str, str], records: int, entry: str = "", program: Sequence[str] = (), *, is_checked: bool = False
) -> Done:
    """Harvest so many records of each source into a new store, from the start of the process to its end.

    `entry` is what else stands in the entry of the last source; `program` harvests instead, called with folder and URL.
    """
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = live.instance(Path(scratch), {name: (url, ("oai_dc",)) for name, url in sources.items()})
        with (folder / "sources.toml").open("a") as file:
            file.write(entry)
        ours = live.command("harvester", folder, "run", *(sources if len(sources) == 1 else ["--all"]))
        done = run([*program, str(folder), *sources.values()] if program else ours)
        with closing(open_store(folder)) as store:
            stored = {name: store.counts(name)["items"] for name in sources}
            assert not is_checked or store.check() == ()
        assert stored == dict.fromkeys(sources, records), stored
    return done


def rounds(records: int, rounds: int, seconds: float, short_seconds: float = 1.0) -> tuple[int, float]:
    """Return how often a measurement is repeated, and its seconds; with a corpus too small for figures it is short."""
    return (rounds, seconds) if records >= _SMALL else (1, short_seconds)


def beside(
    urls: Sequence[str],
    count: int,
    seconds: float,
    disturbed: Callable[[], AbstractContextManager[Mapping[Any, int]]],
    warm_seconds: float = 0.0,
) -> tuple[float, str]:
    """Return the rate of answers beside a disturbance, of that alone, both measured in turn, with a note.

    The value of the disturbance gets the numbers of its own answers by status, at its end.
    """
    alone, disturbed_rates, answers = [], [], dict[object, int]()
    for _ in range(count):
        alone.append(rate(urls, seconds))
        with disturbed() as counts:
            if warm_seconds:
                rate(urls, warm_seconds)  # until all connections are open
            disturbed_rates.append(rate(urls, seconds))
        answers = {status: answers.get(status, 0) + number for status, number in counts.items()}
    note = f"medians {median(disturbed_rates):.0f} and {median(alone):.0f} lists/s; its answers by status: {answers}"
    return median(disturbed_rates) / median(alone), note


@contextmanager
def until_told(module: str, *arguments: object, head: str = "") -> Iterator[subprocess.Popen[str]]:
    """Run a module that reads `head` and works until its input ends; it has written nothing before that."""
    line = [sys.executable, "-m", module, *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, cwd=ROOT, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(head)
        process.stdin.flush()
        yield process


def in_threads(work: Callable[[int], object], count: int, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do a work with each number in a thread of its own, and something else meanwhile."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    meanwhile()
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
