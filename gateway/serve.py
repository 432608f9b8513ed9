"""`gateway serve`: the web application under gunicorn, in one command, on an address that is ours before it starts."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path

import click
from flask import Flask, Response
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]

from gateway import create_app
from gateway.errors import ConfigurationError
from gateway.instance import base_url_doubt
from gateway.request_line import escaped
from gateway.settings import Settings, Value

# Harvesters wait between pages; closing their connection at once costs them a handshake per page.
_KEEPALIVE_SECONDS = 75
_TIMEOUT_SECONDS = 300
_GRACE_SECONDS = 30
_OBJECTS_BEFORE_COLLECTION = 20_000
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    def __init__(self, config: Mapping[str, object], load: Callable[[], Flask]) -> None:
        self._config = config
        self._load = load
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._config.items():
            if name in self.cfg.settings:  # older releases lack some
                self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._load()


class _Request(Request):  # type: ignore[misc]
    def parse_request_line(self, line: bytes) -> None:
        super().parse_request_line(escaped(line))


def _unreadable(error: ParseException) -> Response:
    """Answer a body whose chunks are none; where the next request would begin cannot be known."""
    headers = {"Connection": "close"}
    return Response(f"The request cannot be read: {error}\n", 400, headers, content_type="text/plain; charset=UTF-8")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the address; port 0 takes a free one. Raise ConfigurationError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.EADDRINUSE:
            reason = "another program uses this port; choose one with --port"
        raise ConfigurationError(f"Cannot serve on {host} port {port}: {reason}.") from error


def name_of_this_host(full_name: Callable[[], str] = socket.getfqdn) -> str:
    """Return the name of this host that others most likely know it by."""
    name = full_name()
    is_told = name.partition(".")[0] != "localhost" and not name.endswith(".arpa")  # what resolvers say for want of one
    return name if is_told else socket.gethostname()


def address(listener: socket.socket, host: str, name_of_host: Callable[[], str] = name_of_this_host) -> str:
    """Return the base URL under which a harvester on this network finds `listener`.

    One that listens on every address of the host is found by the host's name.
    """
    place, port = listener.getsockname()[:2]
    if ip_address(place).is_unspecified:
        host = name_of_host()
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/oai"


def _check_log(file: str) -> None:
    """Raise ConfigurationError when the access log cannot be written."""
    try:
        if file not in ("", "-"):
            Path(file).open("a").close()
    except OSError as error:
        raise ConfigurationError(f"The access log {file} cannot be written: {error.strerror}.") from error


def _doubt(settings: Settings, listener: socket.socket, place: str) -> str:
    """Return why harvesters may not reach us under what Identify announces, or an empty string."""
    if settings.text("base_url") or not ip_address(listener.getsockname()[0]).is_unspecified:
        return base_url_doubt(settings)
    return f"Identify announces {place}, by the name of this host; GATEWAY_BASE_URL should say what harvesters use."


def serve(settings: Settings, host: str, port: int, access_log: str) -> None:
    """Serve until a signal ends it. Raise ConfigurationError or StoreError before anything is served."""
    # What is wrong is said here, once, not by every worker; a connection must not live through a fork.
    create_app(settings.instance).extensions["store"].close()
    _check_log(access_log)
    listener = listen(host, port)
    place = address(listener, host)
    options: dict[str, Value] = {} if settings.text("base_url") else {"base_url": place}

    def application() -> Flask:
        made = create_app(settings.instance, options)
        made.register_error_handler(ParseException, _unreadable)
        return made

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")

    if doubt := _doubt(settings, listener, place):
        click.echo(doubt, err=True)

    def when_ready(_arbiter: object) -> None:
        click.echo(f"Serving {place} (Ctrl-C ends it)", err=True)

    _hold_signals_while_workers_begin()
    RequestParser.mesg_class = _Request
    hooks = {"when_ready": when_ready, "post_worker_init": _begin}
    _Server(_config(settings, listener.detach(), access_log) | hooks, application).run()


def _hold_signals_while_workers_begin() -> None:
    """Let a signal wait that reaches a worker before it listens to signals.

    Gunicorn's arbiter sends it once. A worker that was still young lost it, and Ctrl-C just after the start took the
    whole time of grace.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING_SIGNALS),
    )


def _begin(_worker: object) -> None:
    """Spare the collector what was loaded, and pages: 500 rows made and dropped are no reason to look for cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    # A terminal's Ctrl-C reaches the arbiter too, which then ends its workers by SIGQUIT. Handled twice at once it
    # could find the lock of gunicorn's pool taken by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING_SIGNALS)


def _config(settings: Settings, descriptor: int, access_log: str) -> dict[str, object]:
    return {
        "bind": f"fd://{descriptor}",
        "workers": settings.number("serve_workers"),
        "worker_class": "gthread",  # its simple workers have no keep-alive
        "threads": settings.number("serve_threads"),
        # Arguments have a limit of ours, answered in the protocol's words (oai_max_request_bytes). Gunicorn's C
        # parser, where it is installed, would refuse a request line above a mebibyte with an HTML page.
        "limit_request_line": 0,
        "limit_request_field_size": 0,
        "http_parser": "python",
        # Nobody in front of us may set SCRIPT_NAME or the like by a header: baseURL comes from the settings alone.
        "forwarder_headers": "",
        "control_socket_disable": True,
        "keepalive": _KEEPALIVE_SECONDS,
        "timeout": _TIMEOUT_SECONDS,
        "graceful_timeout": _GRACE_SECONDS,
        "loglevel": "warning",
        "accesslog": access_log or None,
        "proc_name": "gateway serve",
    }
