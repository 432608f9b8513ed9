"""A worker process: the arbiter of gunicorn starts, watches, replaces and ends it; our event loop serves in it.

The server knows all connections of the process: which are accepted, which are closed to make room, and how it ends. A
new connection is always accepted. If there are then too many, the connection that has waited longest is closed. So
slow clients displace each other, and no other client.
"""

import asyncio
import ctypes
import gc
import logging
import os
import signal
import socket
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from gunicorn.workers.base import Worker  # type: ignore[import-untyped]

from gateway.core.web import Proxies
from gateway.server.access_log import Entry
from gateway.server.application import Application, HarvesterThreads, PageThreads
from gateway.server.connection import Connection, IsBrief, IsPage, Phase
from gateway.server.request import Limits

log = logging.getLogger("gateway.server")

_SWEEP_SECONDS = 0.5
_PAUSE_SECONDS = 1.0  # before connections are accepted again where the system refused one
_OBJECTS_BEFORE_COLLECTION = 20_000
_ALLOCATOR = (  # of malloc.h
    (-3, 64 * 1_048_576),  # M_MMAP_THRESHOLD
    (-1, 64 * 1_048_576),  # M_TRIM_THRESHOLD
    (-2, 4 * 1_048_576),  # M_TOP_PAD
)
ENDING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class Server:
    """A web server: it answers the requests on listening sockets with WSGI applications, until `end` is called.

    `threads` threads call the applications, and `page_threads` others do so for pages. `log_entry` gets one entry per
    answered request. `proxies` are the proxies whose headers name the client.
    """

    def __init__(
        self,
        limits: Limits,
        threads: int,
        log_entry: Callable[[Entry], None],
        proxies: Proxies = Proxies(),  # noqa: B008 - an immutable value
        page_threads: int = 1,
    ) -> None:
        self.limits = limits
        self.log = log_entry
        self.proxies = proxies
        self.harvesters = HarvesterThreads(threads)
        self.pages = PageThreads(page_threads, self.harvesters, limits.page_wait_seconds)
        self.is_ending = False
        self._ends_at = 0.0
        self._connections: OrderedDict[Connection, None] = OrderedDict()
        self._held_bytes = 0
        self._listeners: list[tuple[socket.socket, Callable[[], Connection]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def listen(
        self,
        listener: socket.socket,
        application: Application,
        is_page: IsPage = lambda _path: False,
        is_brief: IsBrief = lambda _environ: False,
    ) -> None:
        """Answer the requests on `listener` with `application`, from the call of `run` on.

        `is_page` returns whether a path is that of a page, `is_brief` whether a request is answered in a millisecond.
        """
        listener.setblocking(False)
        self._listeners.append((listener, partial(Connection, self, application, is_page, is_brief)))

    async def run(self, tick: Callable[[], None] = lambda: None) -> None:
        """Serve until `end` is called and open requests are answered; call `tick` twice a second."""
        self._accept_from_all()
        while not self.is_ending or self._is_busy():
            tick()
            await asyncio.sleep(_SWEEP_SECONDS if not self.is_ending else _SWEEP_SECONDS / 10)
            self._sweep()
        for connection in list(self._connections):
            connection.drop()
        await asyncio.sleep(_SWEEP_SECONDS / 10)  # in this time they are written to the access log
        for threads in (self.harvesters, self.pages):
            threads.executor.shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        """Stop accepting connections, and end when open requests are answered or `grace_seconds` have passed."""
        if self.is_ending:
            return
        self.is_ending = True
        loop = asyncio.get_running_loop()
        self._ends_at = loop.time() + self.limits.grace_seconds
        for listener, _ in self._listeners:
            loop.remove_reader(listener)
        for connection in list(self._connections):
            connection.end()

    def _is_busy(self) -> bool:
        return bool(self._connections or self._tasks) and asyncio.get_running_loop().time() < self._ends_at

    # --- accepting connections ---

    def _accept_from_all(self) -> None:
        if not self.is_ending:
            for listener, connection in self._listeners:
                asyncio.get_running_loop().add_reader(listener, self._accept, listener, connection)

    def _accept(self, listener: socket.socket, connection: Callable[[], Connection]) -> None:
        loop = asyncio.get_running_loop()
        try:
            accepted, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker was faster, or the client has disconnected
        except OSError as error:
            log.error("No connection can be accepted: %s. The server tries again in a second.", error.strerror)  # noqa: TRY400
            loop.remove_reader(listener)
            loop.call_later(_PAUSE_SECONDS, self._accept_from_all)
            return
        accepted.setblocking(False)
        task = loop.create_task(self._connect(accepted, connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, accepted: socket.socket, connection: Callable[[], Connection]) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(connection, accepted)
        except OSError:  # the client has disconnected already
            accepted.close()

    def admit(self, connection: Connection) -> None:
        """Add a connection; if there are more than `limits.connections`, close the one that has waited longest."""
        self._connections[connection] = None
        if len(self._connections) > self.limits.connections:
            self._drop(next(other for other in self._connections if other.phase is not Phase.ANSWERING))

    def dismiss(self, connection: Connection) -> None:
        """Remove a connection that is closed."""
        if connection in self._connections:
            del self._connections[connection]
            self._held_bytes -= connection.held_bytes

    def move_to_end(self, connection: Connection) -> None:
        """Note that the connection has begun a phase: it is now the one that has waited for the shortest time."""
        if connection in self._connections:
            self._connections.move_to_end(connection)

    # --- the memory of connections ---

    def account(self, connection: Connection) -> None:
        """Count the memory of a connection; beyond `limits.memory_bytes`, close the one that has waited longest."""
        if connection not in self._connections:
            return
        held = connection.weigh()
        self._held_bytes += held - connection.held_bytes
        connection.held_bytes = held
        if self._held_bytes > self.limits.memory_bytes:
            for other in self._connections:  # the longest wait first
                if other.held_bytes and other is not connection:
                    self._drop(other)
                    break

    def _drop(self, connection: Connection) -> None:
        self.dismiss(connection)
        connection.drop()

    def _sweep(self) -> None:
        now = asyncio.get_running_loop().time()
        for connection in list(self._connections):
            try:
                connection.check(now)
                self.account(connection)
            except Exception:
                log.exception("A connection could not be checked; it was closed.")
                self._drop(connection)


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
