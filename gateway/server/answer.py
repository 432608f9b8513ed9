"""Answers as bytes: those of the application, and those of the server itself when a request cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple

# No answer has scripts, forms or images, and none needs to be in a frame. Styles are allowed: Chrome shows XML by a
# style of its own that it writes into the document (seen 2026-11-22). Without it, a list is one line of text.
_POLICY = (
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
# These are on every answer, of the application or of the server itself.
SECURITY_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "; ".join(_POLICY)),
)
_OURS = ("connection", "date", "server", "keep-alive", "transfer-encoding")


class Answer(NamedTuple):
    """One HTTP answer: `status` is the code and the phrase, `body` the first bytes of the body.

    `rest` gives the parts after them, None if there are none. `close` is called after the last part (PEP 3333).
    """

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    rest: Iterator[bytes] | None = None
    close: Callable[[], object] | None = None

    @property
    def code(self) -> int:
        """The HTTP status code."""
        return int(self.status[:3])

    @property
    def has_length(self) -> bool:
        """Return whether the client knows the end of the body before the connection is closed (RFC 9112 §6.3)."""
        named = {name.lower() for name, _ in self.headers}
        return "content-length" in named or self.code in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def plain(status: HTTPStatus, sentence: str, *more: tuple[str, str]) -> Answer:
    """Return an answer of the server itself: one sentence as plain text, never cached. `more` are further headers."""
    body = f"{sentence}\n".encode()
    headers = (
        ("Content-Type", "text/plain; charset=UTF-8"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        *more,
    )
    return Answer(f"{status.value} {status.phrase}", headers, body)


def head(answer: Answer, version: str, *, is_last: bool) -> bytes:
    """Return the status line and the headers of an answer as bytes, with the empty line after them (RFC 9112 §2.1).

    `is_last` says that the server closes the connection after it. Missing security headers are added.
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
            assert not set(name + value) & set("\r\n\0"), "a line end in a header would begin another header"
            yield f"{name}: {value}"
