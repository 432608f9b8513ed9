"""How many requests in a row brought no record that had not come before: what the budget of a run is compared with.

Answers of ListIdentifiers are left out: names are no records, and no request for them is one in vain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.faults.site import Asked, Said, Site


@dataclass
class Gaps:
    """What was seen so far: `now` is the length of the present gap, `most` that of the longest."""

    seen: set[bytes] = field(default_factory=set)
    now: int = 0
    most: int = 0

    def count(self, asked: Asked, answer: Said) -> None:
        """Count one answer."""
        if asked.verb == "ListIdentifiers":
            return
        brought = set(re.findall(rb"<identifier>([^<]*)", answer.body)) if asked.verb != "Identify" else set()
        self.now = 0 if brought - self.seen else self.now + 1
        self.seen |= brought
        self.most = max(self.most, self.now)


@contextmanager
def counted(site: Site) -> Iterator[Gaps]:
    """Count what a site answers as long as the context lasts."""
    gaps, serve = Gaps(), site.serve

    def counting(asked: Asked) -> Said:
        answer = serve(asked)
        gaps.count(asked, answer)
        return answer

    site.serve = counting
    yield gaps
    site.serve = serve
