"""Our hub: subscribers that are 50 ms away are told of one change, each at an address of its own."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gateway.core.model import HubMode, HubRequest
from tests import live
from tests.bench import runs
from tests.bench.runs import Row
from tests.opening import open_subscribers
from tests.publish.harness import START, Harness, Sent

_SUBSCRIBERS = 1_000
_CHANGES = 500  # in the open Change List, which every subscriber gets
_AWAY_SECONDS = 0.1  # a connection and an answer: two ways to and fro
_EVER = 10**10


def rows(records: int) -> Iterator[Row]:
    """Measure one `harvester tend`, whose hub tells a thousand subscribers; the store has few records."""
    port, count = live.free_port(), min(records, _SUBSCRIBERS)
    settings = {
        "base_url": f"http://127.0.0.1:{port}/oai",
        "hub_allow": "127.0.0.0/8",
        "repository_domain": "gateway.example.org",
    }
    with runs.scratch() as place, runs.serving(_Far) as far:
        folder = live.instance(place, {})
        harness = Harness(folder)
        with closing(harness.store), closing(harness.inbox):
            harness.add("laro")
            harness.sent(*(Sent(str(number)) for number in range(_CHANGES)))
        _subscribe(folder, f"http://127.0.0.1:{port}", far, count)
        with live.served(folder, "--port", str(port), serve_workers=1, **settings):
            done = runs.called("harvester", folder, "tend", **settings)
        assert f"delivered {count}." in done.errors, done.errors
    what = f"{count:,} subscribers 50 ms away are told of a change"
    note = f"with the start of the command, and {_CHANGES} changes in each body"
    yield Row(what, done.seconds, 30, unit=" s", note=note)
    yield Row("memory of the harvester meanwhile", done.samples.largest, 100, unit=" MiB")


def _subscribe(folder: Path, site: str, port: int, count: int) -> None:
    topic = f"{site}/resourcesync/oai_dc/source/changelist-open.xml"
    with closing(open_subscribers(folder)) as subscribers:
        for number in range(count):
            host = f"127.{1 + number // 250}.{number % 250}.1"  # each in a network of its own
            callback = f"http://{host}:{port}/callback"
            asked = HubRequest(callback, topic, HubMode.SUBSCRIBE, "secret", 3600, "", START, START)
            subscribers.store_request(asked, _EVER, _EVER)
        for asked in subscribers.requests(_EVER, _EVER):
            subscribers.confirm_request(asked.number, _EVER)


class _Far(runs.Quiet):
    """A subscriber that is far away, and closes each connection."""

    protocol_version = "HTTP/1.0"

    def answer(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(_AWAY_SECONDS)
        self.reply(b"", 204)
