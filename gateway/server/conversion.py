"""`gateway serve` after an upgrade: it listens at once, and answers 503 while the records are moved into blocks.

So a load balancer and harvesters see a repository that will be back, and no refused connections.
"""

import asyncio
import os
import signal
import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from mmap import mmap
from typing import Any, Final

from gateway.core import conversion_progress, signals
from gateway.core.instance import check_settings
from gateway.core.program import begin_log, say
from gateway.core.settings import Settings
from gateway.server.application import Application, Environment
from gateway.server.request import Limits
from gateway.server.serve import Sockets, limits, open_sockets
from gateway.server.server import Server
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


# --- A process of its own that answers while this one is busy: with one application, on sockets that both have -------


@contextmanager
def answering_apart(listeners: Sequence[socket.socket], application: Application, limits: Limits) -> Iterator[None]:
    """Answer all requests on the sockets in a child process, until the block ends or this process does.

    At the end, open requests are answered. The sockets stay open, and later connections wait in them.
    """
    parent = os.getpid()
    # The child may be asked to end before it handles that: the signal waits.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches both; the parent ends this one
            asyncio.run(_serve(listeners, application, limits, parent))
        finally:
            os._exit(0)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        yield
    finally:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)


async def _serve(listeners: Sequence[socket.socket], application: Application, limits: Limits, parent: int) -> None:
    server = Server(limits, 1, lambda _entry: None)
    for listener in listeners:
        server.listen(listener, application)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def end_with_parent() -> None:
        if os.getppid() != parent:
            server.end()

    await server.run(end_with_parent)
