"""`gateway serve`: runs our web server in worker processes of gunicorn, on sockets that are opened before them."""

import asyncio
import errno
import fcntl
import logging
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing, contextmanager, suppress
from ipaddress import ip_address
from logging.handlers import WatchedFileHandler
from mmap import mmap
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple, TextIO, TypeAlias

import click
from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from gateway.core import conversion_progress, logs, signals
from gateway.core.errors import ConfigurationError, StoreError
from gateway.core.instance import base_url_doubt, check_settings, metrics_address
from gateway.core.program import begin_log, say
from gateway.core.settings import Settings, Value
from gateway.core.web import proxies
from gateway.hub.subscribers import topics_of
from gateway.server import access_log
from gateway.server.access_log import Entry
from gateway.server.application import Application, Environment
from gateway.server.request import Limits
from gateway.server.server import EventWorker, Server, hold_signals_while_workers_begin
from gateway.store.base import Databases

log = logging.getLogger("gateway.serve")

_TIMEOUT_SECONDS = 120  # a worker whose event loop is blocked for so long is replaced
_GRACE_SECONDS = 30
_BACKLOG = 2048  # connections that the system queues until a worker accepts them, at most net.core.somaxconn
_FIRST_DESCRIPTOR = 3  # SD_LISTEN_FDS_START
_DESCRIPTORS_PER_CONNECTION = 2  # the connection, and a body or a file
_OTHER_DESCRIPTORS = 200
_SILENCE_SECONDS = 60.0  # between two messages about an access log that cannot be written
_FOLDER_OF_COUNTS = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client reads it when it is imported


CreateApp: TypeAlias = Callable[
    [Path, Mapping[str, Value] | None, Callable[[str, str, float, int], None] | None], Flask
]


class _Arbiter(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    """The application for the arbiter of gunicorn; each worker calls `server`."""

    def __init__(self, config: Mapping[str, object], load: Callable[[], Flask], server: Callable[[], Server]) -> None:
        self._config = config
        self._load = load
        self.server = server
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._config.items():
            if name in self.cfg.settings:  # older releases lack some
                self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._load()


class _Log(Logger):  # type: ignore[misc]
    """Writes the messages of gunicorn into our log; its access log is not used."""

    def setup(self, cfg: object) -> None:
        self.cfg = cfg
        self.error_log = logging.getLogger("gateway.workers")
        self.error_log.setLevel(logging.WARNING)

    def reopen_files(self) -> None:
        """Do nothing: the access log reopens its file itself."""

    def close_on_exec(self) -> None:
        """Do nothing: there is no file of gunicorn's."""


def listen(host: str, port: int, setting: str = "--port") -> socket.socket:
    """Return a TCP socket that listens on the address; port 0 takes a free one.

    Raise ConfigurationError if the address cannot be used; its message names `setting`, which chooses another one.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.EADDRINUSE:
            reason = f"another program uses this port. Choose another one with {setting}"
        raise ConfigurationError(f"Cannot serve on {host} port {port}: {reason}.") from error


def _address_of_passed(listener: socket.socket, settings: Settings) -> str:
    """Return the base URL of a socket that a service manager passed. Raise ConfigurationError if it has none."""
    name = listener.getsockname()
    if listener.family != socket.AF_UNIX:
        return address(listener, name[0])
    if not settings.text("base_url"):
        raise ConfigurationError(f"The socket {name} has no address that harvesters could use. Set base_url.")
    return settings.text("base_url")


def _is_everywhere(listener: socket.socket) -> bool:
    """Return whether a socket listens on every address of the host."""
    return listener.family != socket.AF_UNIX and ip_address(listener.getsockname()[0]).is_unspecified


def name_of_this_host(full_name: Callable[[], str] = socket.getfqdn) -> str:
    """Return the full name of this host, or its short name if the resolver knows no full one."""
    name = full_name()
    is_known = name.partition(".")[0] != "localhost" and not name.endswith(".arpa")  # else resolvers return such names
    return name if is_known else socket.gethostname()


def address(listener: socket.socket, host: str, name_of_host: Callable[[], str] = name_of_this_host) -> str:
    """Return the base URL of `listener` for harvesters on this network.

    If it listens on every address of the host, the URL has the name of the host.
    """
    port = listener.getsockname()[1]
    if _is_everywhere(listener):
        host = name_of_host()
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/oai"


def inherited(environ: MutableMapping[str, str] = os.environ) -> list[socket.socket]:
    """Return the sockets that a service manager has opened for this process (sd_listen_fds(3)), perhaps none.

    The variables that announce them are removed, so that no child process uses them. Raise ConfigurationError if a
    descriptor is not a listening socket.
    """
    process, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    environ.pop("LISTEN_FDNAMES", None)
    if process != str(os.getpid()) or not count.isdecimal():
        return []
    return [_inherited(descriptor) for descriptor in range(_FIRST_DESCRIPTOR, _FIRST_DESCRIPTOR + int(count))]


def _inherited(descriptor: int) -> socket.socket:
    try:
        listener = socket.socket(fileno=descriptor)
        is_listening = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise ConfigurationError(
            f"The service manager passed descriptor {descriptor}, which is not a socket: {error.strerror}. "
            "Check the socket unit."
        ) from error
    if not is_listening or listener.type != socket.SOCK_STREAM:
        raise ConfigurationError(
            f"The service manager passed descriptor {descriptor}, which does not listen. "
            "The socket unit needs Accept=no and ListenStream."
        )
    return listener


class _Forgiving(logging.Handler):
    """A log handler that reports at most once a minute that it cannot write; requests are still answered."""

    _reported_at = float("-inf")

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:  # the file was moved, and a new one cannot be made
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, ARG002 - the library's signature
        if time.monotonic() - self._reported_at > _SILENCE_SECONDS:
            self._reported_at = time.monotonic()
            log.error("The access log cannot be written: %s. Requests are still answered.", sys.exc_info()[1])


class _LogStream(_Forgiving, logging.StreamHandler[TextIO]):
    """The access log on standard output."""


class _LogFile(_Forgiving, WatchedFileHandler):
    """The access log in a file, which is created again after it was moved."""


def _access_log(file: str, *, as_json: bool) -> Callable[[Entry], None]:
    """Return the function that writes the access log. Raise ConfigurationError if the file cannot be opened."""
    if not file:
        return lambda _entry: None
    try:
        handler = _LogStream(sys.stdout) if file == "-" else _LogFile(file, encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"The access log {file} cannot be written: {error.strerror}.") from error
    handler.setFormatter(logging.Formatter("%(message)s"))
    access = logging.getLogger("gateway.access")
    access.handlers, access.propagate = [handler], False
    access.setLevel(logging.INFO)
    line = access_log.json_line if as_json else access_log.line
    return lambda entry: access.info("%s", line(entry, time.time()))


def _doubt(settings: Settings, listener: socket.socket, place: str) -> str:
    """Return a warning if harvesters may not reach the baseURL that Identify announces, else an empty string."""
    if settings.text("base_url") or not _is_everywhere(listener):
        return base_url_doubt(settings)
    return f"Identify announces {place}, with the name of this host. Set base_url if harvesters use another address."


def limits(settings: Settings) -> Limits:
    """Return the limits of one worker, by the settings and by how many files this process may open."""
    return Limits(
        line_bytes=settings.number("oai_max_request_bytes"),
        body_bytes=settings.number("serve_max_body_bytes"),
        head_seconds=settings.seconds("serve_head_seconds"),
        body_seconds=settings.seconds("serve_body_seconds"),
        idle_seconds=settings.seconds("serve_idle_seconds"),
        write_seconds=settings.seconds("serve_write_seconds"),
        write_bytes_per_second=settings.number("serve_write_bytes_per_second"),
        connections=_connections(settings.number("serve_connections")),
        memory_bytes=settings.number("serve_memory_bytes"),
        grace_seconds=_GRACE_SECONDS - 2,
    )


def _connections(wanted: int) -> int:
    """Return how many connections a worker can have; raise the limit of open files as far as the system allows."""
    needed = wanted * _DESCRIPTORS_PER_CONNECTION + _OTHER_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most == needed:
        return wanted
    possible = max(10, (most - _OTHER_DESCRIPTORS) // _DESCRIPTORS_PER_CONNECTION)
    log.warning(
        "serve_connections is %d, but this process may open only %d files, so each worker has %d connections. "
        "Raise the limit (LimitNOFILE in a unit of systemd), or lower the setting.",
        wanted,
        hard,
        possible,
    )
    return possible


class Sockets(NamedTuple):
    """The sockets on which a server listens. `are_passed`: a service manager has opened them."""

    listeners: tuple[socket.socket, ...]
    are_passed: bool


def open_sockets(host: str, port: int) -> Sockets:
    """Return the sockets that a service manager passes, or one on this address. Raise ConfigurationError."""
    passed = tuple(inherited())
    return Sockets(passed or (listen(host, port),), bool(passed))


def serve(
    settings: Settings, create_app: CreateApp, host: str, port: int, access_log: str, opened: Sockets | None = None
) -> None:
    """Serve until a signal ends it; sockets that are open, or that a service manager passes, replace `host` and `port`.

    `create_app` makes the application of each worker, as `gateway.create_app` does.
    `access_log` is the path of a file, `-` for stdout, or empty for none. Raise ConfigurationError or StoreError before
    anything is served.
    """
    begin_log(settings)
    trusted = proxies(settings.text("serve_trusted_proxies"), settings.text("serve_proxy_header"))
    # Errors are reported here once, not by every worker. The store is closed: a fork must not inherit its connections.
    create_app(settings.instance, None, None).extensions["store"].close()
    write_entry = _access_log(access_log, as_json=settings.is_on("log_json"))
    listeners, are_passed = opened or open_sockets(host, port)
    place = _address_of_passed(listeners[0], settings) if are_passed else address(listeners[0], host)
    # Without base_url the harvester does not know the topics, so there is no hub.
    options: dict[str, Value] = {} if settings.text("base_url") else {"base_url": place, "hub": False}
    if doubt := _doubt(settings, listeners[0], place):
        say(doubt)
    bounds = limits(settings)

    metrics = _metrics_listener(settings)

    def server() -> Server:
        threads, page_threads = settings.number("serve_threads"), settings.number("serve_page_threads")
        made = Server(bounds, threads, write_entry, trusted, page_threads)
        if metrics is not None:
            made.listen(metrics, _metrics(settings))
        return made

    def load() -> Flask:
        app = create_app(settings.instance, options, None if metrics is None else _count())
        with suppress(StoreError):  # it is answered with 503
            app.extensions["withdrawals"].resume()
        return app

    def when_ready(arbiter: Arbiter) -> None:
        arbiter.systemd = are_passed  # then it does not remove a Unix socket of the service manager
        click.echo(logs.sentence(f"Serving {place} (Ctrl-C ends it)"), err=True)

    hold_signals_while_workers_begin()
    config = _config(settings, [listener.detach() for listener in listeners]) | {"when_ready": when_ready}
    with _folder_of_counts(is_wanted=metrics is not None):
        _Arbiter(config, load, server).run()


# --- metrics: prometheus-client is imported only if they are on, and after the folder of its counts is set -----------


def _metrics_listener(settings: Settings) -> socket.socket | None:
    """Return the socket of `metrics_listen`; None if it is empty. Raise ConfigurationError."""
    place = metrics_address(settings)
    if place is None:
        return None
    listener = listen(*place, setting="metrics_listen")
    host = f"[{place[0]}]" if ":" in place[0] else place[0]
    say(f"Metrics are at http://{host}:{listener.getsockname()[1]}/metrics")
    return listener


@contextmanager
def _folder_of_counts(*, is_wanted: bool) -> Iterator[None]:
    """Make and set the folder where the workers store their counts; remove it at the end of this process."""
    if not is_wanted:
        yield
        return
    folder, owner = mkdtemp(prefix="gateway-metrics-"), os.getpid()
    os.environ[_FOLDER_OF_COUNTS] = folder
    descriptor = os.open(folder, os.O_RDONLY)
    # systemd-tmpfiles does not remove a locked folder (tmpfiles.d(5)).
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)
        if os.getpid() == owner:  # not in the workers, which are forked inside this block
            rmtree(folder, ignore_errors=True)


def _metrics(settings: Settings) -> Application:
    from gateway.ops.metrics import application  # noqa: PLC0415

    return application(Path(os.environ[_FOLDER_OF_COUNTS]), settings, topics_of(settings))


def _count() -> Callable[[str, str, float, int], None]:
    from gateway.ops.metrics import answered  # noqa: PLC0415

    return answered


def _config(settings: Settings, descriptors: Sequence[int]) -> dict[str, object]:
    return {
        "bind": [f"fd://{descriptor}" for descriptor in descriptors],
        "backlog": _BACKLOG,
        "workers": settings.number("serve_workers"),
        "worker_class": EventWorker,
        "logger_class": _Log,
        "control_socket_disable": True,
        "timeout": _TIMEOUT_SECONDS,
        "graceful_timeout": _GRACE_SECONDS,
        "proc_name": "gateway serve",
    }


# --- After an upgrade: 503 while the records are moved, so that harvesters see a repository that will be back --------

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
        closing(Databases(settings).store()),
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
