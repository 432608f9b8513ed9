"""What slow clients cost others: the rate of answers beside 500 of them (idle, trickling, not reading), and without.

One worker, and the same load in turn: only the ratios mean anything.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from statistics import median
from time import monotonic
from urllib.parse import urlsplit

from tests import live
from tests.bench import stores
from tests.bench.load import rate
from tests.bench.memory import family
from tests.bench.runs import rounds, worked
from tests.bench.table import Row, main

COUNT = 500
_ROUNDS = 3
_PAGE = b"/oai?verb=ListRecords&metadataPrefix=oai_dc"
_HEAD = b"GET %s HTTP/1.1\r\nHost: localhost\r\nX-Padding: "


def rows(records: int) -> Iterator[Row]:
    """Measure the rate beside each kind of slow client against the rate without them."""
    stored = stores.of(records)
    _, seconds = rounds(records, _ROUNDS, 3.0)
    settings = {"serve_workers": 1, "serve_head_seconds": 300, "serve_write_seconds": 300, "serve_idle_seconds": 300}
    with live.served(stored.folder, **settings) as server:
        parts = urlsplit(server.url)
        address = (str(parts.hostname), int(parts.port or 80))
        urls = [f"{server.url}?verb=ListRecords&metadataPrefix=oai_dc"]
        for name, open_all in KINDS.items():
            ratio, note = _compared(urls, seconds, partial(open_all, address), server.process)
            yield Row(f"Rate beside {COUNT} {name} connections, of that without", ratio, 0.9, is_least=True, note=note)


def _compared(urls: list[str], seconds: float, open_all: Callable[[], ExitStack], process: int) -> tuple[float, str]:
    alone, beside = [], []
    for _ in range(_ROUNDS):
        alone.append(_measured(urls, seconds, process))
        with open_all():
            rate(urls, seconds)  # until what they asked for is answered, which is work like any other
            beside.append(_measured(urls, seconds, process))
    (rate_alone, cost_alone), (rate_beside, cost_beside) = (
        [median(values) for values in zip(*measured, strict=True)] for measured in (alone, beside)
    )
    costs = f"{cost_beside:.2f} and {cost_alone:.2f} ms of the processor a page"
    note = f"medians {rate_beside:.0f} and {rate_alone:.0f} pages/s; {costs}"
    return rate_beside / rate_alone, note


def _measured(urls: list[str], seconds: float, process: int) -> tuple[float, float]:
    """Return pages a second, and the milliseconds that the server worked for each: those do not mind a busy machine."""
    before = worked(family(process))
    pages_a_second = rate(urls, seconds)
    return pages_a_second, (worked(family(process)) - before) / (pages_a_second * seconds) * 1000


def _connections(stack: ExitStack, address: tuple[str, int], sent: bytes) -> list[socket.socket]:
    opened = []
    for _ in range(COUNT):
        connection = stack.enter_context(socket.socket())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(address)
        connection.sendall(sent)
        opened.append(connection)
    return opened


def _opened(sent: bytes, address: tuple[str, int], *, trickles: bool = False) -> ExitStack:
    with ExitStack() as stack:
        connections = _connections(stack, address, sent)
        if trickles:
            stack.enter_context(_trickle(connections))
        return stack.pop_all()


@contextmanager
def _trickle(connections: list[socket.socket]) -> Iterator[None]:
    """Send a byte over each connection once a second."""
    ended = threading.Event()

    def send() -> None:
        while True:
            started = monotonic()
            for connection in connections:
                connection.send(b"a")
            if ended.wait(max(0.0, 1 - (monotonic() - started))):
                return

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


KINDS: dict[str, Callable[[tuple[str, int]], ExitStack]] = {
    "idle": partial(_opened, b""),
    "trickling": partial(_opened, _HEAD % _PAGE, trickles=True),
    "non-reading": partial(_opened, _HEAD % _PAGE + b"\r\n\r\n"),
}


if __name__ == "__main__":
    main(rows)
