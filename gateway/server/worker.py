"""A worker process. The arbiter of gunicorn starts, watches, replaces and ends it; our event loop serves in it."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import signal
from typing import TYPE_CHECKING

from gunicorn.workers.base import Worker  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from gateway.server.server import Server

_OBJECTS_BEFORE_COLLECTION = 20_000
_ALLOCATOR = (  # of malloc.h
    (-3, 64 * 1_048_576),  # M_MMAP_THRESHOLD
    (-1, 64 * 1_048_576),  # M_TRIM_THRESHOLD
    (-2, 4 * 1_048_576),  # M_TOP_PAD
)
ENDING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


def hold_signals_while_workers_begin() -> None:
    """Block the signals that end a worker from its fork until it handles them.

    The arbiter of gunicorn sends a signal only once. A worker that had just started lost it, and Ctrl-C after the start
    then took the whole grace period.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS),
    )


class EventWorker(Worker):  # type: ignore[misc]  # gunicorn is not typed
    """A worker of gunicorn that serves the application of `gateway.server.serve` in an event loop."""

    def init_signals(self) -> None:
        """Reset all signals; the event loop handles those that end a worker, which are blocked until it runs."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # Ctrl-C in a terminal reaches the arbiter too, and it ends its workers by SIGQUIT.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGABRT, self.handle_abort)
        signal.signal(signal.SIGWINCH, signal.SIG_IGN)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # asks to reopen logs; ours notices by itself that it was moved

    def run(self) -> None:
        """Serve until a signal comes or the arbiter has ended."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server: Server = self.app.server()
        for listener in self.sockets:
            tests = (self.wsgi.extensions[test] for test in ("is_page", "is_brief"))
            server.listen(listener.sock, self.wsgi, *tests)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, server.end)
        loop.add_signal_handler(signal.SIGQUIT, os._exit, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        _spare_the_collector()
        _keep_memory()
        await server.run(lambda: self._tick(server))

    def _tick(self, server: Server) -> None:
        self.notify()
        if os.getppid() != self.ppid:
            server.end()


def _spare_the_collector() -> None:
    """Freeze the loaded objects and raise the threshold, so that a page of 500 rows does not start a collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)


def _keep_memory() -> None:
    """Let the allocator of glibc keep the memory of a page for the next one: giving it back takes a third of the time.

    Other allocators have no such function, or ignore it (mallopt(3)).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, size in _ALLOCATOR:
            mallopt(option, size)
