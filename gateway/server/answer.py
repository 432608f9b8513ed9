"""Answers as bytes: those of the application, and those of the server itself when a request cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import NamedTuple

from gateway.core.web import SECURITY_HEADERS

_KEPT = 200
_LINE_ENDS = re.compile(r"[\r\n\0]")
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
    first = f"{version} {answer.status}\r\nDate: {_date(int(time()))}\r\n"
    last = "Connection: close\r\n\r\n" if is_last else "Connection: keep-alive\r\n\r\n"
    return (first + _fields(tuple(answer.headers)) + last).encode("latin-1")


@lru_cache(_KEPT)
def _fields(headers: tuple[tuple[str, str], ...]) -> str:
    """Return header fields as text; most answers of a kind have the same ones."""
    named = {name.lower() for name, _ in headers}
    missing = [(name, value) for name, value in SECURITY_HEADERS if name.lower() not in named]
    fields = [f"{name}: {value}" for name, value in (*headers, *missing) if name.lower() not in _OURS]
    assert not _LINE_ENDS.search("".join(fields)), "a line end in a header would begin another header"
    return "".join(f"{field}\r\n" for field in fields)


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
