"""A process of its own that answers while this one is busy: with one application, on sockets that both have."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gateway.server.application import Application
from gateway.server.limits import Limits
from gateway.server.server import Server


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
