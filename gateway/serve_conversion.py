"""`gateway serve` after an upgrade: it listens at once, and answers 503 while the records are moved into blocks.

So a load balancer and harvesters see a repository that will be back, and no refused connections.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from contextlib import closing
from mmap import mmap
from typing import Any, Final

from gateway import signals
from gateway.instance import check_settings
from gateway.program import begin_log, say
from gateway.serve import Sockets, limits, open_sockets
from gateway.server.apart import answering_apart
from gateway.server.application import Application, Environment
from gateway.settings import Settings
from gateway.store import conversion_progress
from gateway.store.opening import open_store

_RETRY_AFTER_SECONDS: Final = 60
_COUNTS: Final = struct.Struct("QQ")  # how many records are in blocks, and of how many; both processes have them


def convert_first(settings: Settings, host: str, port: int) -> Sockets:
    """Move the records of an earlier release into blocks, and return the sockets, on which 503 was answered meanwhile.

    Raise ConfigurationError or StoreError.
    """
    begin_log(settings)
    check_settings(settings)
    signals.release()  # this process forks; a signal may end the conversion at any moment
    sockets = open_sockets(host, port)
    counts = mmap(-1, _COUNTS.size)
    say("Requests are answered with 503 until the records of an earlier release are moved into blocks.")
    with (
        answering_apart(sockets.listeners, application(counts), limits(settings)),
        conversion_progress.shown_by(lambda done, total: _COUNTS.pack_into(counts, 0, done, total), is_beside=True),
        conversion_progress.damage_noted(),  # only the log says it: the server goes on
        closing(open_store(settings.instance)),
    ):
        return sockets


def application(counts: mmap) -> Application:
    """Return the WSGI application that answers during a conversion: `/healthz` with 200, all else with 503."""

    def answer(environ: Environment, start_response: Callable[..., Any]) -> Iterable[bytes]:
        done, total = _COUNTS.unpack_from(counts)
        percent = 100 * done // total if total else 0
        sentence = f"The repository is being upgraded; {percent} % of its records are converted. Try again later.\n"
        is_alive = environ["PATH_INFO"] == "/healthz"
        body = ("This process answers.\n" if is_alive else sentence).encode()
        headers = [("Content-Type", "text/plain; charset=UTF-8"), ("Cache-Control", "no-store")]
        if not is_alive:
            headers.append(("Retry-After", str(_RETRY_AFTER_SECONDS)))
        start_response(
            "200 OK" if is_alive else "503 Service Unavailable", [*headers, ("Content-Length", str(len(body)))]
        )
        return (body,)

    return answer
