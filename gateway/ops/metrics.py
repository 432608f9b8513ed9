"""`/metrics`: the state of an instance, read from the databases at each request, and the counts of all web workers."""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from gateway.core.errors import GatewayError
from gateway.core.model import RunOutcome
from gateway.core.settings import Settings
from gateway.hub.topics import Backlog, Topics
from gateway.store.base import Databases, Inbox, Store, Subscribers

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

_REQUESTS = Counter(
    "oai_requests", "OAI-PMH requests, by verb and by the first error of the protocol.", ("verb", "error")
)
_DURATION = Histogram("oai_request_duration_seconds", "The time to make an answer.", ("verb",), buckets=_SECONDS)
_PAGES = Counter("oai_pages", "Pages of lists that were answered, by verb.", ("verb",))
_BYTES = Counter("oai_response_bytes", "Bytes of answers, as they were sent.", ("verb",))


def answered(verb: str, error: str, seconds: float, sent_bytes: int) -> None:
    """Count one request: its verb and the code of its first error (or empty strings), its duration, and its bytes."""
    verb = verb or "none"
    _REQUESTS.labels(verb, error or "none").inc()
    _DURATION.labels(verb).observe(seconds)
    _BYTES.labels(verb).inc(sent_bytes)
    if verb.startswith("List") and not error:
        _PAGES.labels(verb).inc()


# More pages than these are a backlog in any case, and need no exact number.
_MOST_PAGES = 10_000
_MOST_REQUESTS = 100_000
_EVER = 10**12
_GOOD = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


class Hub(NamedTuple):
    """Our hub: `open` opens what it keeps, or raises StoreError."""

    open: Callable[[], Subscribers]
    backlog: Backlog


class State(Collector):
    """The metrics of one instance. `open_store` and `open_inbox` open a database for each request, or raise StoreError.

    `clock` returns seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        open_store: Callable[[], Store],
        open_inbox: Callable[[], Inbox],
        clock: Callable[[], float],
        hub: Hub | None = None,
    ) -> None:
        self._folder = folder
        self._open_store, self._open_inbox = open_store, open_inbox
        self._clock = clock
        self._hub = hub

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics that can be read; `instance_readable` is 0 for a database that cannot be read."""
        readable = GaugeMetricFamily("instance_readable", "Whether a database can be read.", labels=["database"])
        databases = {"store": self._of_store, "inbox": self._of_inbox}
        if self._hub is not None:
            databases["subscriptions"] = partial(self._of_hub, self._hub)
        for name, lines_of in databases.items():
            try:
                lines = list(lines_of())
            except GatewayError:
                lines = []
                readable.add_metric([name], 0)
            else:
                readable.add_metric([name], 1)
            yield from lines
        yield readable
        yield from self._of_disk()

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: registration must not open a database."""
        return iter(())

    def _of_store(self) -> Iterator[Metric]:
        lag = GaugeMetricFamily("store_horizon_lag_seconds", "How far the horizon lies behind the clock.")
        items = GaugeMetricFamily("store_items", "Items of a source.", labels=["source", "state"])
        quarantine = GaugeMetricFamily("store_quarantined_records", "Records in quarantine.", labels=["source"])
        waiting = GaugeMetricFamily("store_waiting_deletions", "Deletions that wait for a person.", labels=["source"])
        with closing(self._open_store()) as store, store.view() as view:
            lag.add_metric([], max(0.0, self._clock() - view.horizon))
            for source in view.sources():
                counts = store.counts(source.name)
                items.add_metric([source.name, "live"], counts["items"] - counts["deleted"])
                items.add_metric([source.name, "deleted"], counts["deleted"])
                items.add_metric([source.name, "fulltext"], counts["fulltext"])
                quarantine.add_metric([source.name], counts["quarantined"])
                waiting.add_metric([source.name], counts["waiting"])
        yield from (lag, items, quarantine, waiting)

    def _of_inbox(self) -> Iterator[Metric]:
        runs = CounterMetricFamily("harvest_runs", "Runs, by outcome.", labels=["source", "stage", "outcome"])
        last = GaugeMetricFamily(
            "harvest_last_success_timestamp_seconds",
            "When the last run of a stage ended that succeeded.",
            labels=["source", "stage"],
        )
        pending = GaugeMetricFamily("publish_pending_pages", "Pages that are not published yet.", labels=["source"])
        with closing(self._open_inbox()) as inbox:
            good: dict[tuple[str, str], int] = {}
            for total in inbox.run_totals():
                runs.add_metric([total.source, total.stage, total.outcome], total.count)
                if total.outcome in _GOOD:
                    key = (total.source, total.stage)
                    good[key] = max(good.get(key, 0), total.last_at)
            for key, at in good.items():
                last.add_metric(key, at)
            with closing(self._open_store()) as store, store.view() as view:
                for source in view.sources():
                    behind = inbox.extents(source.name, store.position(source.name), _MOST_PAGES)
                    pending.add_metric([source.name], len(behind))
        yield from (runs, last, pending)

    def _of_hub(self, hub: Hub) -> Iterator[Metric]:
        subscriptions = GaugeMetricFamily("hub_subscriptions", "Subscriptions at our hub.", labels=["state"])
        requests = GaugeMetricFamily("hub_waiting_requests", "Requests to our hub that are not verified yet.")
        deliveries = CounterMetricFamily("hub_deliveries", "Deliveries of our hub, by outcome.", labels=["outcome"])
        oldest = GaugeMetricFamily(
            "hub_oldest_undelivered_seconds", "The age of the oldest change that a subscriber did not get; 0: none."
        )
        now = self._clock()
        with closing(hub.open()) as subscribers:
            valid = [subscriber for subscriber in subscribers.all() if subscriber.until > now]
            failing = sum(subscriber.failing_since > 0 for subscriber in valid)
            subscriptions.add_metric(["accepting"], len(valid) - failing)
            subscriptions.add_metric(["failing"], failing)
            requests.add_metric([], len(subscribers.requests(_EVER, _MOST_REQUESTS)))
            for outcome, count in subscribers.totals().items():
                deliveries.add_metric([outcome], count)
        with closing(self._open_store()) as store, store.view() as view:
            date = hub.backlog.oldest(view, valid)
        oldest.add_metric([], 0.0 if date is None else max(0.0, now - date))
        yield from (subscriptions, requests, deliveries, oldest)

    def _of_disk(self) -> Iterator[Metric]:
        sizes = GaugeMetricFamily("instance_file_bytes", "Size of a file of the instance folder.", labels=["file"])
        for file in sorted(self._folder.glob("*.sqlite*")):
            sizes.add_metric([file.name], file.stat().st_size if file.exists() else 0)
        free = GaugeMetricFamily("instance_disk_free_bytes", "What is free on the disk of the instance folder.")
        free.add_metric([], shutil.disk_usage(self._folder).free)
        yield from (sizes, free)


# --- The WSGI application of `/metrics`: the counts of all web workers, and the state of the instance ----------------

_NOT_HERE = b"Only /metrics is here.\n"


def application(folder: Path, settings: Settings, topics: Topics | None) -> Callable[..., Iterable[bytes]]:
    """Return the WSGI application: `/metrics`, and 404 for everything else.

    `folder` has the counts of the workers, `topics` are those of our hub; None: there is no hub.
    """
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    databases = Databases(settings)
    hub = None if topics is None else Hub(databases.subscribers, Backlog(topics))
    state = State(
        settings.instance, lambda: Databases(settings).store(), lambda: Databases(settings).inbox(), time.time, hub
    )
    registry.register(state)
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            lines: Iterable[bytes] = metrics(environ, start_response)
            return lines
        start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", str(len(_NOT_HERE)))])
        return [_NOT_HERE]

    return answer
