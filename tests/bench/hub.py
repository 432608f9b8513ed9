"""Our hub: subscribers that are 50 ms away are told of one change, each at an address of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from gateway.model import HubMode, HubRequest
from gateway.store.opening import open_subscribers
from tests import live
from tests.bench.memory import sampled
from tests.bench.source import ROOT
from tests.bench.table import Row, main
from tests.publish.desk import START, Desk, Sent

_SUBSCRIBERS = 1_000
_CHANGES = 500  # in the open Change List, which every subscriber gets
_AWAY_SECONDS = 0.1  # a connection and an answer: two ways to and fro
_EVER = 10**10


def rows(_records: int) -> Iterator[Row]:
    """Measure one `harvester tend`, whose hub tells a thousand subscribers; the store has few records."""
    port = live.free_port()
    settings = {
        "base_url": f"http://127.0.0.1:{port}/oai",
        "hub_allow": "127.0.0.0/8",
        "repository_domain": "gateway.example.org",
    }
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch, _subscribers() as far:
        folder = live.instance(Path(scratch), {})
        desk = Desk(folder)
        with closing(desk.store), closing(desk.inbox):
            desk.add("laro")
            desk.sent(*(Sent(str(number)) for number in range(_CHANGES)))
        _subscribe(folder, f"http://127.0.0.1:{port}", far)
        with live.served(folder, "--port", str(port), serve_workers=1, **settings):
            started = time.monotonic()
            line = live.command("harvester", folder, "tend")
            with (
                subprocess.Popen(line, env=live.environment(settings), text=True, stderr=subprocess.PIPE) as process,
                sampled(process.pid) as samples,
            ):
                _, words = process.communicate()
            seconds = time.monotonic() - started
        assert f"delivered {_SUBSCRIBERS}." in words, words
    what = f"{_SUBSCRIBERS:,} subscribers 50 ms away are told of a change"
    yield Row(what, seconds, 30, unit=" s", note=f"with the start of the command, and {_CHANGES} changes in each body")
    yield Row("memory of the harvester meanwhile", samples.largest, 100, unit=" MiB")


def _subscribe(folder: Path, site: str, port: int) -> None:
    topic = f"{site}/resourcesync/oai_dc/source/changelist-open.xml"
    with closing(open_subscribers(folder)) as subscribers:
        for number in range(_SUBSCRIBERS):
            callback = (
                f"http://127.{1 + number // 250}.{number % 250}.1:{port}/callback"  # each in a network of its own
            )
            asked = HubRequest(callback, topic, HubMode.SUBSCRIBE, "secret", 3600, "", START, START)
            subscribers.store_request(asked, _EVER, _EVER)
        for asked in subscribers.requests(_EVER, _EVER):
            subscribers.confirm_request(asked.number, _EVER)


@contextmanager
def _subscribers() -> Iterator[int]:
    """Run the subscribers in a process of their own; yield their port."""
    line = [sys.executable, "-m", "tests.bench.hub", "serve"]
    with subprocess.Popen(line, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


class _Far(BaseHTTPRequestHandler):
    """A subscriber that is far away."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(_AWAY_SECONDS)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 256


def _serve() -> None:
    server = _Server(("", 0), _Far)  # every address of loopback
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        _serve()
    else:
        main(rows)
