"""The states of sources that are files, stored with their cursor as JSON and validated when read. Pure.

One of them checks that files contain all answers of a list: each resumptionToken needs a next answer (OAI-PMH 2.0
§3.5). Files come in any order and the reading may be interrupted. So sums are stored: tokens that were issued, less
those that were requested.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from html import unescape
from typing import Self

from harvester.sources.oai_pmh.answers import ListAnswer

_REQUEST = re.compile(rb"<(?:[\w.-]{1,40}:)?request((?:\s[^<>]{0,9000})?)/?>")
_ASKED = re.compile(rb"\sresumptionToken\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_HEAD_BYTES = 10_000  # responseDate and request stand before the list
_SUM = 1 << 62


@dataclass(frozen=True, slots=True)
class State:
    """The base of such states: dataclasses of plain values, whose defaults mean that nothing is known yet.

    Raise `version` when the meaning of a value changes.
    """

    version: int = field(default=1, kw_only=True)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the state in a text. An unreadable text, or one of another version, means from the start."""
        new = cls()
        try:
            state = cls(**json.loads(text))
        except (ValueError, TypeError):
            return new
        pairs = zip(asdict(state).values(), asdict(new).values(), strict=True)
        is_one = state.version == new.version and all(type(value) is type(plain) for value, plain in pairs)
        return state if is_one else new

    @property
    def text(self) -> str:
        """The state as text for `read`."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class ListParts(State):
    """The sums of the answers read so far: `tokens` and `cursors` are 0 when every token has its answer.

    `announced` is the sum of the completeListSizes of the lists, `received` the number of their records. `last` is the
    name of the last file, if its list continues.
    """

    tokens: int = 0
    cursors: int = 0
    asked: int = 0
    positioned: int = 0
    announced: int = 0
    received: int = 0
    last: str = ""

    def after(self, name: str, body: bytes, answer: ListAnswer) -> ListParts:
        """Return the sums with one more answer to ListRecords, from the file `name`."""
        token, asked = answer.token, _asked(body)
        place, count = (token.cursor or 0 if token else 0), len(answer.slices)
        is_first = not asked and not place
        sums = replace(
            self,
            asked=self.asked + bool(asked),
            positioned=self.positioned + bool(place),
            tokens=_moved(self.tokens, asked, -1),
            cursors=_moved(self.cursors, str(place or ""), -1),
            received=self.received + count,
            announced=self.announced + ((token.complete_list_size or 0) if token and is_first else 0),
            last="",
        )
        if token is None or not token.text:
            return sums
        return replace(
            sums,
            tokens=_moved(sums.tokens, token.text, 1),
            cursors=_moved(sums.cursors, str(place + count), 1),
            last=name,
        )

    @property
    def is_broken(self) -> bool:
        """Return whether a token has no answer, or an answer has no token before it."""
        if self.tokens == 0 or (self.positioned and self.cursors == 0):
            return False
        return bool(self.asked or self.positioned or self.last)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Return a sentence about missing answers, or an empty tuple."""
        if not self.is_broken:
            return ()
        where = f"{self.last} ends with a resumptionToken" if self.last else "A resumptionToken continues the list"
        left = self.announced - self.received
        missing = f"{left} of {self.announced} records are missing" if left > 0 else "Records are missing"
        return (f"{missing}: {where}, and no file has the next answer.",)


def _asked(body: bytes) -> str:
    """Return the resumptionToken of the request for an answer (OAI-PMH 2.0 §3.2); empty when there was none."""
    request = _REQUEST.search(body[:_HEAD_BYTES])
    match = _ASKED.search(request[1]) if request else None
    return unescape((match[1] or match[2] or b"").decode("utf-8", "replace")).strip() if match else ""


def _moved(total: int, text: str, sign: int) -> int:
    """Return a sum with a text added or subtracted; an empty text changes nothing."""
    number = int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) if text else 0
    return (total + sign * number) % _SUM
