"""The WSGI application of `/metrics`: the counts of all web workers, and the state of the instance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector

from gateway.hub.backlog import Backlog
from gateway.hub.topics import Topics
from gateway.metrics.state import Hub, State
from gateway.store.opening import open_inbox, open_store, open_subscribers

_NOT_HERE = b"Only /metrics is here.\n"


def application(folder: Path, instance: Path, topics: Topics | None) -> Callable[..., Iterable[bytes]]:
    """Return the WSGI application: `/metrics`, and 404 for everything else.

    `folder` has the counts of the workers, `topics` are those of our hub; None: there is no hub.
    """
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    hub = None if topics is None else Hub(lambda: open_subscribers(instance), Backlog(topics))
    registry.register(State(instance, lambda: open_store(instance), lambda: open_inbox(instance), time.time, hub))
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            lines: Iterable[bytes] = metrics(environ, start_response)
            return lines
        start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", str(len(_NOT_HERE)))])
        return [_NOT_HERE]

    return answer
