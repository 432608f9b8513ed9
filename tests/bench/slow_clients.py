"""What slow clients cost others: the rate of answers beside 500 of them (idle, trickling, not reading), and without.

One worker, and the same load in turn: only the ratios mean anything.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from urllib.parse import urlsplit

from tests import live
from tests.bench import stores
from tests.bench.runs import Row, beside, rounds

COUNT = 500
_PAGE = b"/oai?verb=ListRecords&metadataPrefix=oai_dc"
_HEAD = b"GET %s HTTP/1.1\r\nHost: localhost\r\nX-Padding: "


def rows(records: int) -> Iterator[Row]:
    """Measure the rate beside each kind of slow client against the rate without them."""
    stored = stores.of(records)
    settings = {"serve_workers": 1, "serve_head_seconds": 300, "serve_write_seconds": 300, "serve_idle_seconds": 300}
    with live.served(stored.folder, **settings) as server:
        parts = urlsplit(server.url)
        address = (str(parts.hostname), int(parts.port or 80))
        urls = [f"{server.url}?verb=ListRecords&metadataPrefix=oai_dc"]
        for name, open_all in KINDS.items():
            ratio, note = beside(urls, *rounds(records, 3, 3.0), partial(open_all, address))
            yield Row(f"Rate beside {COUNT} {name} connections, of that without", ratio, 0.9, is_least=True, note=note)


@contextmanager
def _opened(sent: bytes, address: tuple[str, int], *, trickles: bool = False) -> Iterator[dict[str, int]]:
    """Open connections that have sent this, and perhaps send a byte once a second."""
    ended = threading.Event()
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.socket()) for _ in range(COUNT)]
        for connection in connections:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(address)
            connection.sendall(sent)

        def send() -> None:
            while not ended.wait(1):
                for connection in connections:
                    connection.send(b"a")

        thread = threading.Thread(target=send if trickles else ended.wait)
        thread.start()
        yield {}
        ended.set()
        thread.join()


KINDS: dict[str, Callable[[tuple[str, int]], AbstractContextManager[dict[str, int]]]] = {
    "idle": partial(_opened, b""),
    "trickling": partial(_opened, _HEAD % _PAGE, trickles=True),
    "non-reading": partial(_opened, _HEAD % _PAGE + b"\r\n\r\n"),
}
