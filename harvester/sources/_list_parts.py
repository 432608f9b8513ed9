"""Whether the answers of a list that lie in files are all of it: each resumptionToken leads to another answer. Pure.

Files come in any order and may be interrupted, so what is kept are sums: what the tokens lead to, less what was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from html import unescape

from harvester.sources._state import State
from harvester.wire.oai_pmh import ListAnswer

_REQUEST = re.compile(rb"<(?:[\w.-]{1,40}:)?request((?:\s[^<>]{0,9000})?)/?>")
_ASKED = re.compile(rb"\sresumptionToken\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_HEAD_BYTES = 10_000  # responseDate and request stand before the list
_SUM = 1 << 62


@dataclass(frozen=True, slots=True)
class ListParts(State):
    """What is known of the answers that were read: `tokens` and `cursors` are 0 when every token has its answer.

    `announced` is the sum of the completeListSizes of the lists, `received` that of their records. `last` is the name
    of the last file, if its list goes on.
    """

    tokens: int = 0
    cursors: int = 0
    asked: int = 0
    positioned: int = 0
    announced: int = 0
    received: int = 0
    last: str = ""

    def after(self, name: str, body: bytes, answer: ListAnswer) -> ListParts:
        """Return this with one more answer to ListRecords, of the file `name`."""
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
        """Tell whether a token has no answer, or an answer no token that leads to it."""
        if self.tokens == 0 or (self.positioned and self.cursors == 0):
            return False
        return bool(self.asked or self.positioned or self.last)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Return what is missing, in a sentence, or nothing."""
        if not self.is_broken:
            return ()
        where = f"{self.last} ends with a resumptionToken" if self.last else "A resumptionToken leads on"
        left = self.announced - self.received
        missing = f"{left} of {self.announced} records are missing" if left > 0 else "Records are missing"
        return (f"{missing}: {where}, and no file holds what follows.",)


def _asked(body: bytes) -> str:
    """Return the resumptionToken that an answer was asked with (OAI-PMH 2.0 §3.2); empty when there was none."""
    request = _REQUEST.search(body[:_HEAD_BYTES])
    found = _ASKED.search(request[1]) if request else None
    return unescape((found[1] or found[2] or b"").decode("utf-8", "replace")).strip() if found else ""


def _moved(total: int, text: str, sign: int) -> int:
    """Return a sum with a text added or taken away; an empty text is nothing."""
    number = int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) if text else 0
    return (total + sign * number) % _SUM
