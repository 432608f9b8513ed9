"""The WSGI application of `/metrics`: the counts of all web workers, and the state of the instance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector

from gateway.metrics.state import State
from gateway.store.opening import open_inbox, open_store

_NOT_HERE = b"Only /metrics is here.\n"


def application(folder: Path, instance: Path) -> Callable[..., Iterable[bytes]]:
    """Return the WSGI application: `/metrics`, and 404 for everything else. `folder` has the counts of the workers."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    registry.register(State(instance, lambda: open_store(instance), lambda: open_inbox(instance), time.time))
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            lines: Iterable[bytes] = metrics(environ, start_response)
            return lines
        start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", str(len(_NOT_HERE)))])
        return [_NOT_HERE]

    return answer
