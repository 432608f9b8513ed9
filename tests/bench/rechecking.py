"""A recheck of many unchanged files as a process of its own, so that what it costs is its alone: it prints JSON.

`python -m tests.bench.rechecking FOLDER PORT FILES ROUNDS DELAY`; with `serve` instead of all that, it serves the
files. Names lead to the server at PORT; answers and connections are real ones, only TLS is left out.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
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
from tests.sample.web import a_pdf

HOSTS = 200
SOURCE = "bench"
FILE = a_pdf(*["A file of a repository, as small ones are"] * 400)
_ROBOTS = b"User-agent: *\nDisallow: /admin\n"
_WHOLE_EVERY = 4


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


def main(folder: Path, port: int, count: int, rounds: int, *, delay: float) -> None:
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
    line = [sys.executable, "-m", "tests.bench.rechecking", *arguments]
    done = subprocess.run(line, cwd=Path(__file__).parents[2], text=True, capture_output=True, check=True)
    return [json.loads(text) for text in done.stdout.splitlines()]


async def _serve() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while asked := await reader.readline():
            path, is_known = asked.split()[1], False
            while (line := await reader.readline()) not in (b"\r\n", b""):
                is_known = is_known or line.lower().startswith(b"if-none-match")
            if path == b"/robots.txt":
                status, body = b"200", _ROBOTS
            else:
                status, body = (b"304", b"") if is_known else (b"200", FILE)
            head = b'HTTP/1.1 %s x\r\nETag: "%s"\r\nContent-Length: %d\r\n\r\n' % (status, path, len(body))
            writer.write(head + body)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving() -> Iterator[int]:
    """Serve the files from a process of its own; the port is the context's value."""
    line = [sys.executable, "-m", "tests.bench.rechecking", "serve"]
    with subprocess.Popen(line, cwd=Path(__file__).parents[2], text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(_serve())
    else:
        main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), delay=float(sys.argv[5]))
