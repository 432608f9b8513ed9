"""Reads one HTTP request from bytes as they arrive: the head by the strict parser of gunicorn, the body into a file.

Nothing in here waits or uses sockets: bytes go in, and a request or a refusal comes out (RFC 9112).
"""

from __future__ import annotations

import re
from http import HTTPStatus
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple
from urllib.parse import quote_from_bytes

from gunicorn.asgi.parser import (  # type: ignore[import-untyped]
    LimitRequestHeaders,
    LimitRequestLine,
    ParseError,
    PythonProtocol,
    UnsupportedTransferCoding,
)

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
_TAIL = 16  # bytes at the end of a request line that hold its version
_STATUS = {
    LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
}


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
    """Reads one request; `has_begun`, `has_head` and `is_complete` say how much of it has arrived."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._line: _Line | None = _Line(limits.line_bytes)
        self._parser = PythonProtocol(
            on_headers_complete=self._on_head,
            on_body=self._on_body,
            limit_request_line=0x7FFFFFFF,  # `_Line` has the limit
            limit_request_fields=_FIELDS,
            limit_request_field_size=_HEAD_BYTES,
        )
        self._shown = b""
        self._line_bytes = 0
        self._head_bytes = 0
        self._body: SpooledTemporaryFile[bytes] | None = None
        self._parts = 0
        self.length = 0
        self.has_head = False

    @property
    def has_begun(self) -> bool:
        """Return whether a byte of the request has arrived."""
        return self._line is None or self._line.total > 0

    @property
    def is_complete(self) -> bool:
        """Return whether the whole request has arrived."""
        return bool(self._parser.is_complete)

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
    def rest(self) -> bytes:
        """The bytes that arrived after the complete request."""
        return bytes(self._parser.remaining())

    @property
    def expects_continue(self) -> bool:
        """Return whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1)."""
        if self.is_complete or self._parser.http_version < (1, 1):
            return False
        return any(name == b"expect" and value.lower() == b"100-continue" for name, value in self._parser.headers)

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
        while data and not self.has_head:
            data = self._read_head(data)
        if data:
            self._parse(data)

    def _read_head(self, data: bytes) -> bytes:
        """Read a part of the header fields and return the bytes that were not read. Raise Refused beyond the limit."""
        room = _HEAD_BYTES - self._head_bytes
        if room <= 0:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The header fields are too long.")
        self._parse(data[:room])
        self._head_bytes += min(room, len(data))
        return data[room:]

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed(data)
        except ParseError as error:
            status = _STATUS.get(type(error), HTTPStatus.BAD_REQUEST)
            reason = str(error).rstrip(".") or type(error).__name__
            raise Refused(status, f"The request cannot be read: {reason}.") from error
        except ValueError as error:  # a Content-Length of thousands of digits
            raise Refused(HTTPStatus.BAD_REQUEST, "The request cannot be read: a number is too long.") from error

    def _on_head(self) -> bool:
        self.has_head = True
        hosts = sum(name == b"host" for name, _ in self._parser.headers)
        if hosts > 1 or (not hosts and self._parser.http_version >= (1, 1)):  # RFC 9112 §3.2
            raise Refused(HTTPStatus.BAD_REQUEST, "The request must have one Host field.")
        if (self._parser.content_length or 0) > self._limits.body_bytes:
            raise self._too_long()
        return False

    def _on_body(self, part: bytes) -> None:
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

    def request(self) -> Request:
        """Return the request, which must be complete; the caller must close its body."""
        parser = self._parser
        if self._body is not None:
            self._body.seek(0)
        return Request(
            parser.method.decode("ascii"),
            parser.path,
            "HTTP/{}.{}".format(*parser.http_version),
            tuple(parser.headers),
            self._body or BytesIO(),
            self.length,
            is_last=not parser.should_keep_alive,
        )

    def close(self) -> None:
        """Release the body of a request that was not taken."""
        if self._body is not None:
            self._body.close()


# --- Makes the query in the first line of a request legal -------------------------------------------------------------

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


# --- Limits of the web server on time, bytes and connections ----------------------------------------------------------


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
