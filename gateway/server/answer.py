"""Answers as bytes: what an application answers, and what the server answers itself when a request cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple

# Nothing here is a page with scripts, forms or images, and nobody has to frame it. Chrome shows XML by a style of its
# own that it writes into the document (seen 2026-11-22): forbidden, a list of records would be one line of text.
_POLICY = (
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
# On every answer, of the application or of the server itself.
SECURITY_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "; ".join(_POLICY)),
)
_OURS = ("connection", "date", "server", "keep-alive", "transfer-encoding")


class Answer(NamedTuple):
    """A status line's end, headers, the first bytes of a body and, where there are more, the parts that follow."""

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    rest: Iterator[bytes] | None = None
    close: Callable[[], object] | None = None

    @property
    def code(self) -> int:
        """The status code."""
        return int(self.status[:3])

    @property
    def has_length(self) -> bool:
        """Whether the client can tell where the body ends without the end of the connection."""
        named = {name.lower() for name, _ in self.headers}
        return "content-length" in named or self.code in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def plain(status: HTTPStatus, sentence: str) -> Answer:
    """Return an answer of the server's own."""
    body = f"{sentence}\n".encode()
    headers = (
        ("Content-Type", "text/plain; charset=UTF-8"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    )
    return Answer(f"{status.value} {status.phrase}", headers, body)


def head(answer: Answer, version: str, *, is_last: bool) -> bytes:
    """Return the status line and the headers of an answer; `is_last` says that the connection ends with it.

    The security headers are added where the application has left them out.
    """
    named = {name.lower() for name, _ in answer.headers}
    missing = [(name, value) for name, value in SECURITY_HEADERS if name.lower() not in named]
    lines = [f"{version} {answer.status}", f"Date: {formatdate(usegmt=True)}"]
    lines += _fields((*answer.headers, *missing))
    lines.append("Connection: " + ("close" if is_last else "keep-alive"))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _fields(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if name.lower() not in _OURS:
            assert not set(name + value) & set("\r\n\0"), "a header with a line end would be two"
            yield f"{name}: {value}"
