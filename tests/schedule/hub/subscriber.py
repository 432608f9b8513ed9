"""A subscriber of WebSub on loopback, which does what a test tells it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Delivered(NamedTuple):
    """One delivery: the path of the callback, its headers, its body."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Subscriber:
    """`verifications` are the arguments of the calls that verify, `deliveries` what was delivered.

    `echo` makes the answer to a challenge; `statuses` are those of the next deliveries, then 204. `fixed` are those of
    all calls of a callback, by its name. `waits_for` happens before it answers, and `has_delivered` with the first
    delivery.
    """

    url: str = ""
    echo: str = "{challenge}"
    verifies: int = 200
    statuses: list[int] = field(default_factory=list)
    fixed: dict[str, int] = field(default_factory=dict)
    waits_for: Event | None = None
    has_delivered: Event = field(default_factory=Event)
    verifications: list[dict[str, str]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    deliveries: list[Delivered] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def denials(self) -> list[str]:
        """Return the names of the callbacks that were informed of the end of their subscriptions."""
        return [path[1:] for path, arguments in self.calls if arguments.get("hub.mode") == "denied"]

    def callback(self, name: str = "a", query: str = "") -> str:
        return f"{self.url}{name}{query}"


def _handler(subscriber: Subscriber) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            arguments = dict(parse_qsl(urlsplit(self.path).query))
            with subscriber.lock:
                subscriber.verifications.append(arguments)
                subscriber.calls.append((urlsplit(self.path).path, arguments))
            challenge = arguments.get("hub.challenge", "")
            status = subscriber.fixed.get(urlsplit(self.path).path[1:], subscriber.verifies)
            self.answer(status, subscriber.echo.format(challenge=challenge).encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with subscriber.lock:
                subscriber.deliveries.append(Delivered(self.path, dict(self.headers), body))
                subscriber.has_delivered.set()
                status = subscriber.fixed.get(self.path[1:]) or (
                    subscriber.statuses.pop(0) if subscriber.statuses else 204
                )
            self.answer(status, b"")

        def answer(self, status: int, body: bytes) -> None:
            if subscriber.waits_for is not None:
                subscriber.waits_for.wait(240)
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", f"{subscriber.url}elsewhere")
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def served(subscriber: Subscriber) -> Iterator[Subscriber]:
    """Serve a subscriber on loopback as long as the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(subscriber))
    server.daemon_threads = True
    subscriber.url = f"http://127.0.0.1:{server.server_port}/"
    thread = Thread(target=server.serve_forever, args=(0.002,))
    thread.start()
    try:
        yield subscriber
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
