"""A list of names that is read in parts, where a source never comes to an end of naming."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import pytest

from gateway.errors import NotOaiPmh
from gateway.model import Cursor, Slice
from gateway.xmltext import parse_utc_datetime, utc_datetime
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetched
from harvester.sources import Options
from harvester.sources.budget import Budget, Spender
from harvester.sources.oai_pmh.changing_list import Datestamps, Parts
from harvester.sources.oai_pmh.list_state import made_of
from tests.oai_pages import page
from tests.sources.oai_pmh.test_list_identifiers import Canned

FIRST, LAST = (parse_utc_datetime(text)[0] for text in ("2024-01-01T00:00:00Z", "2024-03-01T00:00:00Z"))


@dataclass
class Inexhaustible(Canned):
    """A `fetch` that names ten other records whenever a window is longer than a second, and one in a single second."""

    answers: list[str] = field(default_factory=list)
    numbers: count = field(default_factory=count)

    def __call__(self, request):
        self.asked.append(request)
        wanted = self.arguments[-1]
        from_, until = wanted.get("from", utc_datetime(FIRST)), wanted.get("until")
        names = (next(self.numbers) for _ in range(1 if from_ == until else 10))
        headers = (
            f"<header><identifier>oai:x:{name}</identifier><datestamp>{from_}</datestamp></header>" for name in names
        )
        text = page(*headers, token=None, verb="ListIdentifiers")
        return Fetched(request.url, 200, (("Content-Type", "text/xml"),), text.encode(), LAST)


def test_parts_that_never_stand_still_are_given_up():
    dated = Datestamps()
    moments = range(FIRST, LAST, (LAST - FIRST) // 10)
    dated.add(tuple(Slice(f"oai:x:{moment}", utc_datetime(moment), (), False, 0, 0) for moment in moments))
    fetch = Inexhaustible()
    state = made_of(first=LAST, granularity=SECONDS)
    options = Options("x", "http://x.org/oai", granularity=SECONDS, from_=utc_datetime(FIRST))
    parts = Parts(options, Cursor("x", "oai_dc"), Spender(fetch, Budget()), state, dated, lambda _: None)
    with pytest.raises(NotOaiPmh, match="no end of it"):
        parts.read()
    assert len(fetch.asked) < 1000
