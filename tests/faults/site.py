"""A source on loopback, seen through its faults: what is asked passes down through them, what is said passes up again.

    harvester -> HTTP -> outermost quirk -> ... -> innermost quirk -> the well-behaved source

One server serves every site under a path of its own. Its clock is the harvester's: pauses pass at once, for both.
"""

from __future__ import annotations

import select
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from tests.faults.source import Source

# A harvest that asks more often than this of a source this small would never end.
MOST_REQUESTS = 5000  # where no token is ever answered, some sixty records take nearly 3,500


class Asked(NamedTuple):
    """One request: the query as it came, its path behind the site's own, and its headers in small letters."""

    query: str
    path: str = ""
    headers: Mapping[str, str] = {}

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments, decoded."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def verb(self) -> str:
        """The verb."""
        return self.arguments.get("verb", "")

    @property
    def token(self) -> str:
        """The resumptionToken, decoded."""
        return self.arguments.get("resumptionToken", "")

    @property
    def is_list(self) -> bool:
        """Whether a list of records is asked for, or goes on."""
        return self.verb == "ListRecords"

    def with_arguments(self, **values: str | None) -> Asked:
        """Return the request with other arguments; None: without it."""
        given = {**self.arguments, **values}
        return self._replace(
            query="&".join(f"{name}={quote(value)}" for name, value in given.items() if value is not None)
        )


class Said(NamedTuple):
    """One answer. `cut`: the connection breaks after so many bytes."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/xml; charset=UTF-8"),)
    cut: int | None = None
    silence: float = 0.0  # seconds before the first byte
    before: tuple[int, ...] = ()  # statuses of informational answers before it


Serve = Callable[[Asked], Said]


@dataclass
class Clock:
    """A clock that a pause moves on instead of waiting for it."""

    now: float = 1_717_243_200.0  # noon of the first of June 2024
    pauses: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.pauses.append(seconds)
        self.now += seconds


@dataclass
class Stage:
    """What one quirk knows: the source behind it, the clock, where it is served, and what it has seen and kept.

    A quirk that changes the source instead of an answer sees `bitten`.
    """

    source: Source
    clock: Clock
    url: str = ""
    seen: Counter[str] = field(default_factory=Counter)
    kept: dict[str, bytes] = field(default_factory=dict)

    def is_first(self, what: str) -> bool:
        """Tell whether this is seen for the first time."""
        self.seen[what] += 1
        return self.seen[what] == 1


Distort = Callable[[Asked, Serve, Stage], Said]


@dataclass
class Site:
    """One source and the quirks before it, the outermost first; what was asked, and which quirks have bitten."""

    source: Source
    clock: Clock
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    bitten: set[Distort] = field(default_factory=set)
    serve: Serve = lambda _: Said(b"")

    def __post_init__(self) -> None:
        self.serve = self.plainly

    def plainly(self, asked: Asked) -> Said:
        """Answer as the well-behaved source does."""
        return Said(self.source.answer(parse_qsl(asked.query, keep_blank_values=True)).encode())

    def distort(self, quirks: Sequence[Distort]) -> None:
        """Put quirks before the source."""
        for quirk in reversed(quirks):
            self.serve = self._behind(quirk, self.serve)

    def _behind(self, quirk: Distort, inner: Serve) -> Serve:
        stage = Stage(self.source, self.clock, self.url)

        def served(asked: Asked) -> Said:
            passed: list[tuple[Asked, Said]] = []

            def serve(asked: Asked) -> Said:
                passed.append((asked, inner(asked)))
                return passed[-1][1]

            answer = quirk(asked, serve, stage)
            if passed != [(asked, answer)] or stage.seen["bitten"]:
                self.bitten.add(quirk)
            return answer

        return served

    def answer(self, asked: Asked) -> Said:
        """Answer one request, or refuse whoever goes on for ever."""
        self.asked.append(asked)
        if len(self.asked) > MOST_REQUESTS:
            return Said(b"Enough.", 410)
        return self.serve(asked)

    @property
    def is_run_away_from(self) -> bool:
        """Whether the harvester would have gone on for ever."""
        return len(self.asked) > MOST_REQUESTS


@dataclass
class Sites:
    """Where sites are served, and the sites by the first part of their path."""

    address: str
    by_name: dict[str, Site] = field(default_factory=dict)

    def open(self, name: str, source: Source, clock: Clock) -> Site:
        """Serve a source under a name, without faults as yet."""
        site = self.by_name[name] = Site(source, clock, f"{self.address}/{name}/oai")
        source.base_url = site.url
        return site


def _say(handler: BaseHTTPRequestHandler, answer: Said) -> None:
    select.select([handler.connection], [], [], answer.silence)  # until who asked hangs up
    for status in answer.before:
        handler.send_response_only(status)
        handler.send_header("Link", "</style.css>; rel=preload")
        handler.end_headers()
    handler.send_response_only(answer.status)
    for key, value in (("Content-Length", str(len(answer.body))), *answer.headers):
        handler.send_header(key, value)
    handler.end_headers()
    if handler.command == "HEAD":
        return
    handler.wfile.write(answer.body[: answer.cut])
    if answer.cut is not None:
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving() -> Iterator[Sites]:
    """Serve sites on loopback as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            _, name, rest = path.split("/", 2)
            headers = {key.lower(): value for key, value in self.headers.items()}
            answer = sites.by_name[name].answer(Asked(query, rest, headers))
            with suppress(OSError):  # whoever asked has gone
                _say(self, answer)

        def handle(self) -> None:
            with suppress(ConnectionError):  # a harvester was killed
                super().handle()

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing: what was asked is kept."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sites = Sites(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield sites
    server.shutdown()
    thread.join()
    server.server_close()
