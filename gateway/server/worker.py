"""A worker process: gunicorn's arbiter starts, watches, replaces and ends it, and inside it our event loop serves."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from typing import TYPE_CHECKING

from gunicorn.workers.base import Worker  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from gateway.server.server import Server

_OBJECTS_BEFORE_COLLECTION = 20_000
ENDING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


def hold_signals_while_workers_begin() -> None:
    """Let a signal wait that reaches a worker before it listens to signals.

    Gunicorn's arbiter sends it once. A worker that was still young lost it, and Ctrl-C just after the start took the
    whole time of grace.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS),
    )


class EventWorker(Worker):  # type: ignore[misc]  # gunicorn is not typed
    """Serves the application that the arbiter of `gateway.serve` loads, by an event loop."""

    def init_signals(self) -> None:
        """Leave the signals that end a worker to the event loop; until it runs, they are held."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # A terminal's Ctrl-C reaches the arbiter too, which then ends its workers by SIGQUIT.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGABRT, self.handle_abort)
        signal.signal(signal.SIGWINCH, signal.SIG_IGN)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # the access log notices by itself that it was moved

    def run(self) -> None:
        """Serve until a signal, or the end of the arbiter, ends it."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server: Server = self.app.server()
        for listener in self.sockets:
            server.listen(listener.sock, self.wsgi)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, server.end)
        loop.add_signal_handler(signal.SIGQUIT, os._exit, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        _spare_the_collector()
        await server.run(lambda: self._tick(server))

    def _tick(self, server: Server) -> None:
        self.notify()
        if os.getppid() != self.ppid:
            server.end()


def _spare_the_collector() -> None:
    """Freeze what was loaded, and let pages pass: 500 rows made and dropped are no reason to look for cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
