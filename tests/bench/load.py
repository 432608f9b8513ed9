"""Load on a web server: how many answers a second it gives to four connections that ask for one page after another.

wrk makes it where it is installed; else four threads of ours, which cost the server more of the machine.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Self
from urllib.parse import urlsplit

CONNECTIONS = 4
_RATE = re.compile(r"Requests/sec:\s+([0-9.]+)")
_SCRIPT = """local paths = {%s}
local at = 0
request = function() at = at %% #paths + 1; return wrk.format("GET", paths[at]) end
"""


def loader() -> str:
    """Return the name of what makes the load."""
    return "wrk" if shutil.which("wrk") else "own loader"


def rate(urls: Sequence[str], seconds: float, headers: Sequence[str] = ()) -> float:
    """Return the answers per second that a server gives to requests for these URLs in turn."""
    return (_by_wrk if shutil.which("wrk") else _by_threads)(urls, seconds, headers)


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _by_wrk(urls: Sequence[str], seconds: float, headers: Sequence[str]) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_SCRIPT % ", ".join(f'"{_path(url)}"' for url in urls))
        script.flush()
        options = [part for header in headers for part in ("-H", header)]
        line = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{max(1, round(seconds))}s", "-s", script.name, *options, urls[0]]
        output = subprocess.run(line, text=True, capture_output=True, check=True).stdout
    assert "Non-2xx" not in output, output
    match = _RATE.search(output)
    assert match, output
    return float(match[1])


def _by_threads(urls: Sequence[str], seconds: float, headers: Sequence[str]) -> float:
    ends = time.monotonic() + seconds
    counts = [0] * CONNECTIONS

    def ask(number: int) -> None:
        with Connection(urls[0]) as connection:
            for url in islice(cycle(urls), number, None):
                status = connection.get(_path(url), headers)
                assert status == 200, (url, status)
                counts[number] += 1
                if time.monotonic() > ends:
                    return

    started = time.monotonic()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - started)


class Connection:
    """One connection that is kept; it reads the length of a body and throws the body away."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host = parts.netloc
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80))
        self._buffer = memoryview(bytearray(1 << 20))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()

    def get(self, path: str, headers: Sequence[str] = ()) -> int:
        """Return the status of the answer, when all of it has arrived."""
        lines = (f"GET {path} HTTP/1.1", f"Host: {self._host}", *headers)
        self._socket.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        head, separator, body = b"", b"", b""
        while not separator:
            received = self._socket.recv(1 << 16)
            assert received, "the server closed the connection"
            head += received
            head, separator, body = head.partition(b"\r\n\r\n") if b"\r\n\r\n" in head else (head, b"", b"")
        length = re.search(rb"(?i)content-length: *([0-9]+)", head)
        assert length, head
        left = int(length[1]) - len(body)
        while left:
            left -= self._socket.recv_into(self._buffer, min(left, len(self._buffer)))
        return int(head.split(b" ", 2)[1])
