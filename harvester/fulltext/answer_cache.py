"""A Fetch with a cache: answers are stored while they are valid, negative ones too, but no files.

An answer that cannot be read, such as a page about maintenance, is not stored.

Within one search no request is repeated in any case (`harvester.fulltext.steps._fetch_once`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Protocol

from gateway.secret_arguments import without_secrets
from harvester.fulltext.pdf.file_type import PDF, mime_type
from harvester.http.messages import Fetch, Fetched, Request

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
    """The store of answers, by a hash of their request."""

    def answer(self, question: bytes, at: int) -> bytes | None:
        """Return the stored answer that is valid in Unix second `at`, or None."""
        ...

    def keep_answer(self, question: bytes, content: bytes, expires: int) -> None:
        """Store an answer that is valid until second `expires`."""
        ...


class CachingFetch:
    """A Fetch over another one, with a cache of its answers."""

    def __init__(
        self, fetch: Fetch, answers: Answers, clock: Callable[[], float], hold: Mapping[int, int] = HOLD
    ) -> None:
        """Take a Fetch, the cache, the clock, and for how many seconds answers of each status are valid."""
        self._fetch, self._answers, self._clock, self._hold = fetch, answers, clock, hold

    def __call__(self, request: Request) -> Fetched:
        """Return the stored answer, with its age, else that of the other Fetch. Raise its errors."""
        question = sha256(repr((request.url, request.headers, request.follows)).encode("utf-8", "replace")).digest()
        now = self._clock()
        held = self._answers.answer(question, int(now))
        if held is not None:
            return _unpacked(held, now)
        fetched = self._fetch(request)
        seconds = self._hold.get(fetched.status, 0)
        is_small = len(fetched.body) <= _MOST_BYTES
        if seconds and is_small and not _is_door(fetched) and not _is_file(fetched) and request.suits(fetched):
            at = int(self._clock())
            self._answers.keep_answer(question, _packed(fetched, at), at + seconds)
        return fetched


def _is_file(fetched: Fetched) -> bool:
    return mime_type(fetched.body) == PDF


def _is_door(fetched: Fetched) -> bool:
    """Return whether an answer redirects to a page that needs its cookie: not to be cached."""
    return bool(fetched.location and fetched.header("Set-Cookie"))


_KEPT = tuple(field_.name for field_ in fields(Fetched) if field_.name not in ("body", "age_seconds"))


def _packed(fetched: Fetched, at: int) -> bytes:
    head = {name: getattr(fetched, name) for name in _KEPT}
    head |= {"url": without_secrets(fetched.url), "stored_at": at}
    return json.dumps(head).encode("ascii") + b"\n" + fetched.body


def _unpacked(content: bytes, now: float) -> Fetched:
    head, _, body = content.partition(b"\n")
    values = json.loads(head)
    age = max(0.0, now - values.pop("stored_at", values["received_at"]))  # releases before 0.6.0 stored no `stored_at`
    values["headers"] = tuple((name, value) for name, value in values["headers"])
    values["folded"] = tuple(values.get("folded", ()))
    return Fetched(**values, body=body, age_seconds=age)
