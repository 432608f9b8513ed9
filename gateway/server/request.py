"""Reads one HTTP request from bytes as they arrive: the head by the strict parser of httptools, the body into a file.

The parser would read on into the next request, so it is fed no byte after the end of this one.

Nothing in here waits or uses sockets: bytes go in, and a request or a refusal comes out (RFC 9112).
"""

from __future__ import annotations

import re
from http import HTTPStatus
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple
from urllib.parse import quote_from_bytes

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

# A request line that is too long is still read to its end, up to so many times the limit. The answer to arguments that
# are too long is an OAI error, and that needs the rest of the request.
_PATIENCE = 16
_ROOM = 8192  # in a request line, beside the arguments: method, path, version
_HEAD_BYTES = 65_536
_FIELDS = 100
_MEMORY_BYTES = 65_536  # a longer body goes to a temporary file
# A chunk costs time, however small it is. Only an attacker sends thousands of bytes one by one.
_MANY_PARTS = 1000
_LEAST_PART_BYTES = 16
_SHOWN_BYTES = 4000
_ESCAPED_BYTES = 65_536
_CHUNK_LINE_BYTES = 1024  # of the line before a chunk, and of all lines after the last
_END_OF_HEAD = b"\r\n\r\n"
_HOST = re.compile(  # and a port (RFC 3986 §3.2)
    rb"(?:\[[A-Za-z0-9\-._~!$&'()*+,;=:]+\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?"
)
_TAIL = 16  # bytes at the end of a request line that hold its version


class Refused(Exception):
    """The request cannot be read; `status` and the message are the answer. Nothing after it can be read either."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Request(NamedTuple):
    """A complete request.

    `target` is as sent, except that its query is escaped to visible ASCII. Header names are in lower case. `body` is an
    open file of `length` bytes. `is_last` says that the client, or the version of HTTP, ends the connection after it.
    """

    method: str
    target: bytes
    version: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: IO[bytes]
    length: int
    is_last: bool

    def header(self, name: bytes) -> bytes:
        """Return the values of a header with commas between, or no bytes; `name` is in lower case (RFC 9110 §5.3)."""
        return b", ".join(value for key, value in self.headers if key == name)


class _Line:
    """The request line, stored up to a limit and read beyond it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit + _ROOM
        self.kept = bytearray()
        self._tail = b""
        self.total = 0

    def feed(self, data: bytes) -> bytes | None:
        """Return the bytes after the line once it is complete, else None. Raise Refused if it is far too long."""
        if not self.total and data.startswith(b"\r\n"):  # RFC 9112 §2.2: some clients send one after a body
            data = data[2:]
        end = data.find(b"\n") + 1
        part = data[:end] if end else data
        self.total += len(part)
        self.kept += part[: max(0, self._limit - len(self.kept))]
        self._tail = (self._tail + part[-_TAIL:])[-_TAIL:]
        if self.total > self._limit * _PATIENCE:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "The request line is too long.")
        return data[end:] if end else None

    def text(self) -> bytes:
        """Return the line with its CR LF; a line that is too long is cut to a length that is still too long.

        Raise Refused if it does not end with CR LF.
        """
        line = bytes(self.kept)
        if self.total > len(line):
            line += b" " + self._tail.rpartition(b" ")[2]
        if not line.endswith(b"\r\n"):
            raise Refused(HTTPStatus.BAD_REQUEST, "The request line does not end with CR LF.")
        # Escaping takes time while other clients wait, and clients that send lines of this length escape them.
        return line if len(line) > _ESCAPED_BYTES else escaped(line[:-2]) + b"\r\n"


class RequestReader:
    """Reads one request.

    `has_begun`, `has_head` and `is_complete` say how much of it has arrived; `length` is that of the body so far.
    `rest` are the bytes that arrived after the complete request.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._line: _Line | None = _Line(limits.line_bytes)
        self._parser = HttpRequestParser(self)
        self._shown = b""
        self._line_bytes = 0
        self._tail = b"\r\n"  # the last bytes of the head
        self._head_bytes = 0
        self._target = b""
        self._fields: list[tuple[bytes, bytes]] = []
        self._is_chunked = False
        self._awaited = 0  # bytes of the body, or of the chunk
        self._chunk_line = b""
        self._chunk_begins = False
        self._arrived: list[bytes] = []
        self._body: SpooledTemporaryFile[bytes] | None = None
        self._parts = 0
        self._is_last = False
        self.length = 0
        self.has_head = False
        self.is_complete = False
        self.rest = b""

    @property
    def has_begun(self) -> bool:
        """Return whether a byte of the request has arrived."""
        return self._line is None or self._line.total > 0

    @property
    def held_bytes(self) -> int:
        """How many bytes this request occupies."""
        line_bytes = len(self._line.kept) if self._line else self._line_bytes
        return line_bytes + self._head_bytes + self.length

    @property
    def line(self) -> bytes:
        """The first bytes of the request line that have arrived, for the access log."""
        return self._shown if self._line is None else bytes(self._line.kept[:_SHOWN_BYTES]).rstrip(b"\r\n")

    @property
    def expects_continue(self) -> bool:
        """Return whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1)."""
        if self.is_complete or self._parser.get_http_version() == "1.0":
            return False
        return any(value.lower() == b"100-continue" for value in self._values(b"expect"))

    def feed(self, data: bytes) -> None:
        """Read the next bytes. Raise Refused if the request is wrong or too long, OSError if it cannot be stored."""
        if self._line is not None:
            rest = self._line.feed(data)
            if rest is None:
                return
            line, data, self._shown = self._line.text(), rest, self.line
            self._line = None
            self._line_bytes = len(line)
            self._parse(line)
        if not self.has_head:
            data = self._read_head(data)
        at = 0
        while at < len(data) and self.has_head and not self.is_complete:
            read = self._read_chunk_line if self._is_chunked and not self._awaited else self._read_body
            at += read(data, at)
        self.rest += data[at:]

    def _read_head(self, data: bytes) -> bytes:
        """Parse header fields up to the empty line, and return the bytes after it."""
        at = (self._tail + data).find(_END_OF_HEAD)
        part = data if at < 0 else data[: at + len(_END_OF_HEAD) - len(self._tail)]
        self._head_bytes += len(part)
        if self._head_bytes > _HEAD_BYTES:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The header fields are too long.")
        self._parse(part)
        self._tail = (self._tail + part)[1 - len(_END_OF_HEAD) :]
        if at >= 0:
            self._check_head()
            self.has_head = True
        return data[len(part) :]

    def _check_head(self) -> None:
        version = self._parser.get_http_version()
        lengths, codings = self._values(b"content-length"), self._values(b"transfer-encoding")
        self._check_coding()
        self._is_chunked = bool(codings)
        self._awaited = int(lengths[0]) if lengths else 0
        if version not in ("1.0", "1.1") or (codings and version == "1.0"):
            raise Refused(HTTPStatus.BAD_REQUEST, "The request must be one of HTTP/1.1 or HTTP/1.0.")
        if len(self._fields) > _FIELDS:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "There are too many header fields.")
        hosts = [value.strip(b" \t") for value in self._values(b"host")]
        if len(hosts) > 1 or (not hosts and version == "1.1") or not all(map(_HOST.fullmatch, hosts)):  # RFC 9112 §3.2
            raise Refused(HTTPStatus.BAD_REQUEST, "The request must have one Host field, and in it a host.")
        if not (self.is_complete or self._awaited or self._is_chunked):
            raise Refused(HTTPStatus.BAD_REQUEST, "The request cannot be read: it has no end.")
        if self._awaited > self._limits.body_bytes:
            raise self._too_long()

    def _check_coding(self) -> None:
        if any(coding.strip().lower() != b"chunked" for coding in self._values(b"transfer-encoding")):
            raise Refused(HTTPStatus.NOT_IMPLEMENTED, "Only the transfer coding chunked can be read.")

    def _read_body(self, data: bytes, at: int) -> int:
        """Parse the body, or the chunk, from a place of the data up to its end; return how many bytes that were."""
        part = data[at : at + self._awaited]
        self._awaited -= len(part)
        self._parse(part)
        return len(part)

    def _read_chunk_line(self, data: bytes, at: int) -> int:
        """Do so with the line before a chunk, or with one after the last (RFC 9112 §7.1)."""
        part = data[at : data.find(b"\n", at) + 1] or data[at:]
        self._chunk_line += part
        if len(self._chunk_line) > _CHUNK_LINE_BYTES:
            raise Refused(HTTPStatus.BAD_REQUEST, "A line between the parts of the body is too long.")
        self._parse(part)
        if self._chunk_begins:
            self._chunk_begins = False
            if size := int(self._chunk_line.partition(b";")[0], 16):
                self._awaited, self._chunk_line = size + len(b"\r\n"), b""
        return len(part)

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:  # the request is complete; no other protocol is spoken here
            self._is_last = True
        except HttpParserError as error:
            self._check_coding()
            raise Refused(HTTPStatus.BAD_REQUEST, f"The request cannot be read: {str(error).rstrip('.')}.") from error
        arrived, self._arrived = self._arrived, []
        for part in arrived:
            self._store(part)

    def _store(self, part: bytes) -> None:
        self.length += len(part)
        self._parts += 1
        if self._parts > _MANY_PARTS and self.length < self._parts * _LEAST_PART_BYTES:
            raise Refused(HTTPStatus.BAD_REQUEST, "The parts of the body are too small.")
        if self.length > self._limits.body_bytes:
            raise self._too_long()
        if self._body is None:
            self._body = SpooledTemporaryFile(_MEMORY_BYTES)  # noqa: SIM115 - `request` hands it on
        self._body.write(part)

    def _too_long(self) -> Refused:
        return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is longer than {self._limits.body_bytes} bytes.")

    def _values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self._fields if key == name]

    # --- what the parser calls ---

    def on_url(self, part: bytes) -> None:
        """Keep a part of the target."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header field; fields after a chunked body are dropped (RFC 9110 §6.5.1)."""
        if not self.has_head:
            self._fields.append((name.lower(), value))

    def on_chunk_header(self) -> None:
        """Note that the line with the size of a chunk is complete."""
        self._chunk_begins = True

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body."""
        self._arrived.append(part)

    def on_message_complete(self) -> None:
        """Note the end of the request, and whether it is the last of its connection (RFC 9112 §9.3)."""
        self.is_complete = True
        self._is_last = not self._parser.should_keep_alive()

    def request(self) -> Request:
        """Return the request, which must be complete; the caller must close its body."""
        if self._body is not None:
            self._body.seek(0)
        return Request(
            self._parser.get_method().decode("ascii"),
            self._target,
            "HTTP/" + self._parser.get_http_version(),
            tuple(self._fields),
            self._body or BytesIO(),
            self.length,
            is_last=self._is_last,
        )

    def close(self) -> None:
        """Release the body of a request that was not taken."""
        if self._body is not None:
            self._body.close()


# --- Makes the query in the first line of a request legal ------------------------------------------------------------

# RFC 9112 §3.2 and RFC 3986 §2: a request target is visible ASCII.
_FORBIDDEN = re.compile(rb"[^\x21-\x7e]")
_VISIBLE = bytes(range(0x21, 0x7F))


def escaped(line: bytes) -> bytes:
    """Return a request line in which bytes that HTTP forbids in a query are percent-encoded; the rest is unchanged."""
    method, _, rest = line.partition(b" ")
    target, _, version = rest.rpartition(b" ")
    path, mark, query = target.partition(b"?")
    if not mark:
        return line
    if _FORBIDDEN.search(query):
        query = quote_from_bytes(query, safe=_VISIBLE).encode()
    return b" ".join((method, path + mark + query, version))


# --- Limits of the web server on time, bytes and connections ---------------------------------------------------------


class Limits(NamedTuple):
    """Limits of one worker process; the unit is in each name."""

    line_bytes: int = 1_000_000
    body_bytes: int = 50_000_000
    head_seconds: float = 20.0
    body_seconds: float = 60.0
    idle_seconds: float = 75.0
    write_seconds: float = 60.0
    write_bytes_per_second: int = 500
    connections: int = 1000
    memory_bytes: int = 256_000_000
    grace_seconds: float = 28.0
    page_wait_seconds: float = 10.0
