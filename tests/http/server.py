"""A server on loopback that answers as a test tells it, and a `Web` whose pauses cost no time."""

import select
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gateway.core.settings import load
from harvester.http.credentials import Access
from harvester.http.fetching import Web

Said = tuple[int, dict[str, str], bytes]
PATIENCE_SECONDS = 60.0  # a busy machine is no defect


@dataclass
class Asked:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    peer: tuple[str, int]


@dataclass
class Server:
    """What it was asked, and what it says: by path, or path#verb, one answer after the other; the last for ever."""

    address: str = ""
    asked: list[Asked] = field(default_factory=list)
    says: dict[str, list[Said | Callable[[BaseHTTPRequestHandler], None]]] = field(default_factory=dict)

    def url(self, path: str = "/") -> str:
        """Return the address of a path."""
        return f"http://{self.address}{path}"

    def say(self, path: str, *answers: Said | Callable[[BaseHTTPRequestHandler], None]) -> str:
        """Tell what a path answers, and return its address."""
        self.says[path] = list(answers)
        return self.url(path)


def ok(body: bytes = b"<a/>", status: int = 200, **headers: str) -> Said:
    """Return an answer; underscores in the names of headers stand for hyphens."""
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, body


def until_gone(request: BaseHTTPRequestHandler) -> None:
    """Say nothing more until who asked has hung up."""
    request.close_connection = True
    select.select([request.connection], [], [], PATIENCE_SECONDS)


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    """Return what makes a server of the standard library say what `server` is told."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(ssl.SSLError):  # whoever asks does not trust us
                super().handle()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.asked.append(Asked(self.command, self.path, dict(self.headers), body, self.client_address))
            path, _, query = self.path.partition("?")
            verb = query.partition("verb=")[2].partition("&")[0]
            answers = server.says.get(f"{path}#{verb}") or server.says[path]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            if callable(answer):
                answer(self)
                return
            status, headers, content = answer
            self.send_response_only(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_HEAD = _answer  # noqa: N815 - names of the standard library

    return Handler


@contextmanager
def listening(handled_by: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Listen on loopback inside the block, and lend the address; with a context it is spoken to by TLS."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handled_by)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(0.002,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Serve inside the block; with a context by TLS."""
    server = Server()
    with listening(handler(server), context) as server.address:
        yield server


@pytest.fixture
def start() -> Iterator[Callable[[], Server]]:
    """Return a function that starts one more server."""
    with ExitStack() as running:
        yield lambda: running.enter_context(serving())


@pytest.fixture
def server(start: Callable[[], Server]) -> Server:
    """Return a server."""
    return start()


@dataclass
class Made:
    """A `Web` and the pauses it made."""

    web: Web
    pauses: list[float]


@pytest.fixture
def make() -> Iterator[Callable[..., Made]]:
    """Return a function that makes a `Web` for one source called x, with these settings."""
    made: list[Web] = []

    def maker(access: Access | str | None = None, settings: dict[str, float] | None = None, **options) -> Made:
        pauses: list[float] = []
        known = {"x": Access(access) if isinstance(access, str) else access} if access else {}
        options = {"sleep": pauses.append, "chance": lambda: 0.0, "clock": lambda: 1_700_000_000.0, **options}
        web = Web(load(Path("/nowhere"), environ={}, options=settings or {}), known, **options)
        made.append(web)
        return Made(web, pauses)

    yield maker
    for web in made:
        web.close()
