"""A Fetch that asks nothing twice: answers are kept as long as they hold, negative ones too, and files are not kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Protocol

from harvester.verification.bytes import PDF, mime_type
from harvester.wire.http import Fetch, Fetched, Request

_DAY = 86_400
_HOLD = {
    200: 30 * _DAY,
    301: 30 * _DAY,
    302: _DAY,
    303: _DAY,
    307: _DAY,
    308: 30 * _DAY,
    404: 30 * _DAY,
    410: 90 * _DAY,
}
_MOST_BYTES = 5_000_000


class Answers(Protocol):
    """Where answers are kept, by a hash of what was asked."""

    def answer(self, question: bytes, at: int) -> bytes | None:
        """Return what holds still, or None."""
        ...

    def keep_answer(self, question: bytes, content: bytes, expires: int) -> None:
        """Keep an answer until a second."""
        ...


class Remembering:
    """A Fetch over another one, and what that one answered before."""

    def __init__(self, fetch: Fetch, answers: Answers, clock: Callable[[], float]) -> None:
        """Take what fetches, where answers are kept, and the clock."""
        self._fetch, self._answers, self._clock = fetch, answers, clock

    def __call__(self, request: Request) -> Fetched:
        """Return what holds still, or ask."""
        question = sha256(repr((request.url, request.headers, request.follows)).encode("utf-8", "replace")).digest()
        held = self._answers.answer(question, int(self._clock()))
        if held is not None:
            return _unpacked(held)
        fetched = self._fetch(request)
        seconds = _HOLD.get(fetched.status, 0)
        if seconds and len(fetched.body) <= _MOST_BYTES and mime_type(fetched.body) != PDF:
            self._answers.keep_answer(question, _packed(fetched), int(self._clock()) + seconds)
        return fetched


def _packed(fetched: Fetched) -> bytes:
    head = {"url": fetched.url, "status": fetched.status, "headers": fetched.headers, "at": fetched.received_at}
    return json.dumps(head).encode("ascii") + b"\n" + fetched.body


def _unpacked(content: bytes) -> Fetched:
    head, _, body = content.partition(b"\n")
    told = json.loads(head)
    return Fetched(
        told["url"], told["status"], tuple((name, value) for name, value in told["headers"]), body, told["at"]
    )
