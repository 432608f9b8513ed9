"""A site with a hub on loopback, over a store whose clock a test sets, and one subscriber."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from werkzeug.serving import make_server

from gateway.core import settings as gateway_settings
from gateway.store.base import Subscribers
from harvester.harvest.instance import Instance, sources_file
from harvester.runtime.interrupts import Stop
from harvester.schedule.hub.rounds import Rounds
from tests.applications import application
from tests.opening import open_subscribers
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.schedule.hub import subscriber as subscribers_of_tests
from tests.schedule.hub.subscriber import Subscriber
from tests.schedule.test_kept_files import Reports

KEY = "x" * 40
ALLOWED = "127.0.0.0/8 localhost"


@contextmanager
def served(folder: Path, **options: Any) -> Iterator[tuple[str, Any]]:
    """Serve the application of an instance folder on loopback; yield the address of `/` without the slash, and it."""
    apps: list[Any] = []
    server = make_server("127.0.0.1", 0, lambda *call: apps[0](*call), threaded=True)  # noqa: PLW0108 - made later
    server.daemon_threads = False  # type: ignore[attr-defined] # the databases are closed behind the last answer
    url = f"http://127.0.0.1:{server.server_port}"
    with application(folder, base_url=f"{url}/oai", secret=KEY, hub=True, **options) as app:
        apps.append(app)
        thread = Thread(target=server.serve_forever, args=(0.002,))
        thread.start()
        try:
            yield url, app
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@dataclass
class Hub:
    """The site with its hub. `now` is the time of the harvester."""

    folder: Path
    url: str
    harness: Harness
    subscribers: Subscribers
    reports: Reports
    options: dict[str, Any]
    stop: Stop
    app: Any

    @property
    def now(self) -> float:
        return self.harness.now

    @property
    def topic(self) -> str:
        return f"{self.url}/resourcesync/oai_dc/source/changelist-open.xml"

    @property
    def records(self) -> str:
        return f"{self.url}/oai?verb=ListRecords&metadataPrefix=oai_dc"

    def publish(self, *names: str, title: str = "A title", **header: Any) -> None:
        """Publish records; the next second has come after it."""
        self.harness.send(*(Sent(name, dc(title), **header) for name in names))
        self.harness.publish()
        self.harness.now += 2

    def post(self, callback: str, topic: str = "", mode: str = "subscribe", **fields: str) -> int:
        form = {"hub.callback": callback, "hub.mode": mode, "hub.topic": topic or self.topic}
        form |= {f"hub.{name}": value for name, value in fields.items()}
        with urlopen(Request(f"{self.url}/hub", urlencode(form).encode()), timeout=240) as answer:
            return int(answer.status)

    def rounds(self, **options: Any) -> Rounds:
        settings = gateway_settings.load(self.folder, {}, self.options | options)
        unused: Any = None
        instance = Instance(
            settings,
            self.harness.store,
            self.harness.inbox,
            sources_file(self.folder),
            unused,
            self.subscribers,
            unused,
            unused,
        )
        return Rounds(instance, self.reports, self.stop, lambda: self.harness.now)

    def run(self, **options: Any) -> Counter[str]:
        """Run one round."""
        return self.rounds(**options).run()


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    with subscribers_of_tests.served(Subscriber()) as subscriber:
        yield subscriber


@pytest.fixture
def hub(tmp_path: Path, ready_made: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    ready_made(tmp_path, make_databases)
    harness = Harness(tmp_path)
    monkeypatch.setattr("gateway.store.base.Databases.store", lambda *_, **__: harness.store)
    with (
        closing(harness.inbox),
        closing(open_subscribers(tmp_path)) as subscribers,
        served(tmp_path, hub_allow=ALLOWED) as (url, app),
    ):
        options = {"base_url": f"{url}/oai", "hub": True, "hub_allow": ALLOWED, "secret": KEY}
        hub = Hub(tmp_path, url, harness, subscribers, Reports(), options, Stop(), app)
        hub.publish("0", sets=("x",))
        yield hub
