"""`/metrics`: what an administrator alerts on, summed over the web workers, on an address of its own."""

import http.client
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from gateway.core.errors import ConfigurationError
from gateway.core.instance import check_settings
from gateway.core.model import HubMode, HubRequest, RawPage, RunOutcome, Slice, Source, Subscriber
from gateway.core.settings import load
from gateway.hub.topics import Backlog, Topics
from gateway.ops.metrics import Hub, State
from gateway.ops.upkeep import make
from gateway.store.base import View
from tests.opening import open_inbox, open_store, open_subscribers
from tests.rows import each_row

NOW = 2_000_000_000

Samples = dict[tuple[str, tuple[str, ...]], float]


def samples(text: str) -> Samples:
    """Return every sample: its name and the values of its labels, in the order of their names."""
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def collected(folder: Path, hub: Hub | None = None) -> Samples:
    registry = CollectorRegistry()
    registry.register(State(folder, lambda: open_store(folder), lambda: open_inbox(folder), lambda: NOW, hub))
    return samples(generate_latest(registry).decode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path, {})
    store, inbox = open_store(tmp_path), open_inbox(tmp_path)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    for outcome in (RunOutcome.SUCCEEDED, RunOutcome.FAILED, RunOutcome.FAILED):
        number = inbox.start_run("laro", NOW - 500)
        inbox.end_run(number, NOW - 400, outcome, outcome is RunOutcome.SUCCEEDED, {}, ())
    page = RawPage("laro", "ListRecords", "http://laro.example.org/oai", NOW - 450, 200, (), b"<a/>", "oai_dc", "")
    inbox.receive(page, [Slice("1", 0, False, (), 0, 4)], None)  # type: ignore[arg-type]
    store.close()
    inbox.close()
    return tmp_path


def test_state_of_an_instance_is_read_from_its_databases(folder: Path) -> None:
    values = collected(folder)
    assert values["harvest_runs_total", ("failed", "laro", "harvest")] == 2
    assert values["harvest_runs_total", ("succeeded", "laro", "harvest")] == 1
    assert values["harvest_last_success_timestamp_seconds", ("laro", "harvest")] == NOW - 400
    assert values["publish_pending_pages", ("laro",)] == 1
    assert values["store_items", ("laro", "live")] == 0
    assert values["store_quarantined_records", ("laro",)] == 0
    assert values["store_waiting_deletions", ("laro",)] == 0
    assert values["store_horizon_lag_seconds", ()] >= 0
    assert values["instance_disk_free_bytes", ()] > 0
    assert values["instance_file_bytes", ("store.sqlite",)] > 0
    assert values["instance_readable", ("store",)] == values["instance_readable", ("inbox",)] == 1


def test_database_that_cannot_be_read_is_told_and_hides_nothing_else(folder: Path) -> None:
    for file in folder.glob("inbox.sqlite*"):
        file.unlink()
    values = collected(folder)
    assert (values["instance_readable", ("inbox",)], values["instance_readable", ("store",)]) == (0, 1)
    assert ("store_items", ("laro", "live")) in values


class Waiting(Backlog):
    """Says that a change of a minute ago waits."""

    date: int | None = NOW - 60

    def oldest(self, _view: View, subscribers: Iterable[Subscriber]) -> int | None:
        return self.date if list(subscribers) else None


def test_state_of_the_hub_is_its_subscriptions_deliveries_and_the_oldest_change_that_waits(folder: Path) -> None:
    hub = Hub(lambda: open_subscribers(folder), Waiting(Topics("https://a.example.org", "", ())))
    assert collected(folder, hub)["hub_oldest_undelivered_seconds", ()] == 0, "there is no file"
    with closing(open_subscribers(folder)) as subscribers:
        for number in range(5):
            asked = HubRequest(f"https://{number}.example.net/", "x", HubMode.SUBSCRIBE, "", 9, "", 1, 1)
            subscribers.store_request(asked, 9, 9)
        for number in range(1, 5):
            subscribers.confirm_request(number, NOW - 1 if number == 4 else NOW + 1)
        subscribers.delivered([1, 2], NOW)
        subscribers.failed(3, NOW - 9, NOW, "HTTP status 500")
    values = collected(folder, hub)
    assert values["hub_subscriptions", ("accepting",)] == 2, "a lease is over"
    assert values["hub_subscriptions", ("failing",)] == 1
    assert values["hub_waiting_requests", ()] == 1
    assert values["hub_deliveries_total", ("delivered",)] == 2
    assert values["hub_deliveries_total", ("failed",)] == 1
    assert values["hub_oldest_undelivered_seconds", ()] == 60
    assert values["instance_readable", ("subscriptions",)] == 1
    (folder / "subscriptions.sqlite").write_bytes(b"no database")
    values = collected(folder, hub)
    assert (values["instance_readable", ("subscriptions",)], values["instance_readable", ("store",)]) == (0, 1)
    assert "hub_waiting_requests" not in {name for name, _ in collected(folder)}


@each_row("text", ["9464", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", ":1", "x:" + "1" * 5000])
def test_address_of_metrics_that_is_none_is_refused_by_every_command(folder: Path, text: str) -> None:
    with pytest.raises(ConfigurationError, match="metrics_listen must be an address and a port"):
        check_settings(load(folder, {}, {"metrics_listen": text}))


@contextmanager
def serving(folder: Path) -> Iterator[tuple[Callable[[str], tuple[int, str]], Callable[[str], tuple[int, str]]]]:
    """Serve with metrics; lend a function that asks the repository, and one that asks where the metrics are."""
    line = [str(Path(sys.executable).with_name("gateway")), "--instance", str(folder), "serve", "--port", "0"]
    settings = {"GATEWAY_METRICS_LISTEN": "127.0.0.1:0", "GATEWAY_SERVE_WORKERS": "2"}
    ports: dict[str, int] = {}

    def ask(name: str, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", ports[name], timeout=240)
        connection.request("GET", path)
        answer = connection.getresponse()
        status_and_text = answer.status, answer.read().decode()
        connection.close()
        return status_and_text

    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=os.environ | settings) as process:
        assert process.stderr is not None
        for message in process.stderr:
            for word in message.split():
                for end in ("/metrics", "/oai"):
                    if word.endswith(end):
                        ports[end] = int(word.removesuffix(end).rpartition(":")[2])
            if "Serving" in message:
                break
        yield lambda path: ask("/oai", path), lambda path: ask("/metrics", path)
        process.terminate()
        process.communicate(timeout=240)
        assert process.returncode == 0


@pytest.mark.slow
def test_requests_of_all_workers_are_added_up_and_shown_at_an_address_of_their_own(folder: Path) -> None:
    with serving(folder) as (repository, metrics):
        for _ in range(20):
            assert repository("/oai?verb=Identify")[0] == 200
        repository("/oai?verb=ListSets")
        repository("/oai?verb=%3Cscript%3E")
        status, text = metrics("/metrics")
        values = samples(text)
        assert status == 200
        assert values["oai_requests_total", ("none", "Identify")] == 20
        assert values["oai_requests_total", ("none", "ListSets")] == 1
        assert values["oai_pages_total", ("ListSets",)] == 1
        assert values["oai_requests_total", ("badVerb", "none")] == 1
        assert values["oai_request_duration_seconds_count", ("Identify",)] == 20
        assert values["oai_response_bytes_total", ("Identify",)] > 20 * 500
        assert values["harvest_runs_total", ("failed", "laro", "harvest")] == 2
        assert metrics("/oai?verb=Identify")[0] == 404
        assert repository("/metrics")[0] == 404
        assert "script" not in text
