"""A proxy on loopback: plain requests in absolute form, and tunnels (RFC 9110 §9.3.6) for everything encrypted."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit, urlunsplit

from tests.http.server import listening


@dataclass
class Proxy:
    """What it was asked for, and where the names that it is asked for are: (host, port) by host."""

    names: dict[str, tuple[str, int]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    wants: str = ""  # the Proxy-Authorization without which it answers 407
    address: str = ""


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(1 << 16):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _is_let_in(self) -> bool:
            given = self.headers.get("Proxy-Authorization", "")
            proxy.authorizations.append(given)
            proxy.asked.append((self.command, self.path))
            if not proxy.wants or given == proxy.wants:
                return True
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False

        def do_CONNECT(self) -> None:
            if not self._is_let_in():
                return
            with socket.create_connection(proxy.names[self.path.rpartition(":")[0]]) as there:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_pump, args=(there, self.connection))
                back.start()
                _pump(self.connection, there)
                back.join()

        def do_GET(self) -> None:
            if not self._is_let_in():
                return
            parts = urlsplit(self.path)
            with socket.create_connection(proxy.names[parts.hostname or ""]) as there:
                wanted = urlunsplit(parts._replace(scheme="", netloc="")) or "/"
                head = f"GET {wanted} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
                there.sendall(head.encode())
                _pump(there, self.connection)

    return Handler


@contextmanager
def proxying() -> Iterator[Proxy]:
    """Serve a proxy inside the block."""
    proxy = Proxy()
    with listening(_handler(proxy)) as proxy.address:
        yield proxy
