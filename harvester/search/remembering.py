"""A Fetch that asks nothing twice: answers are kept as long as they hold, negative ones too, but no files.

Within one search nothing is asked twice in any case (`harvester.discovery._once`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Protocol

from gateway.secret_arguments import without_secrets
from harvester.verification.bytes import PDF, mime_type
from harvester.wire.http import Fetch, Fetched, Request

_DAY = 86_400
HOLD = {
    200: 30 * _DAY,
    301: 30 * _DAY,
    302: _DAY,
    303: _DAY,
    307: _DAY,
    308: 30 * _DAY,
    404: 30 * _DAY,
    410: 90 * _DAY,
}
ROBOTS_HOLD = dict.fromkeys((200, 401, 403, 404, 410), _DAY)
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

    def __init__(
        self, fetch: Fetch, answers: Answers, clock: Callable[[], float], hold: Mapping[int, int] = HOLD
    ) -> None:
        """Take what fetches, where answers are kept, the clock, and for how many seconds which statuses hold."""
        self._fetch, self._answers, self._clock, self._hold = fetch, answers, clock, hold

    def __call__(self, request: Request) -> Fetched:
        """Return what holds still, or ask."""
        question = sha256(repr((request.url, request.headers, request.follows)).encode("utf-8", "replace")).digest()
        now = int(self._clock())
        held = self._answers.answer(question, now)
        if held is not None:
            return _unpacked(held)
        fetched = self._fetch(request)
        seconds = self._hold.get(fetched.status, 0)
        if seconds and len(fetched.body) <= _MOST_BYTES and not _is_door(fetched) and not _is_file(fetched):
            self._answers.keep_answer(question, _packed(fetched), int(self._clock()) + seconds)
        return fetched


def _is_file(fetched: Fetched) -> bool:
    return mime_type(fetched.body) == PDF


def _is_door(fetched: Fetched) -> bool:
    """Tell whether an answer gives a cookie and sends on to where it is wanted: kept, it would lead there without."""
    return bool(fetched.location and fetched.header("Set-Cookie"))


_KEPT = tuple(each.name for each in fields(Fetched) if each.name != "body")


def _packed(fetched: Fetched) -> bytes:
    head = {name: getattr(fetched, name) for name in _KEPT} | {"url": without_secrets(fetched.url)}
    return json.dumps(head).encode("ascii") + b"\n" + fetched.body


def _unpacked(content: bytes) -> Fetched:
    head, _, body = content.partition(b"\n")
    told = json.loads(head)
    return Fetched(**{**told, "headers": tuple((name, value) for name, value in told["headers"])}, body=body)
