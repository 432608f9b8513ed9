"""What ten people who decide cost harvesters: the rate of ListRecords while they click, against that without them.

Each of them clicks once a second, in turn on the list, on an item, and on Accept or Undo, which publish at once. That
is faster than people read. They are a process of their own; one worker serves all. Only the ratio means anything.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from html import unescape
from itertools import count
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urljoin

import requests

from gateway.core.model import Role
from tests import live
from tests.bench.runs import beside, called, in_threads, meanwhile, rounds
from tests.bench.table import Row
from tests.page_house import opened
from tests.publish.desk import Sent, dc, make_databases
from tests.review_files import Files
from tests.review_house import PASSWORD, add_user

REVIEWERS = 10
_ITEMS = 2_000
_FILES = 200  # that wait for a decision
_BETWEEN_SECONDS = 1.0
_SECRET = "x" * 40


def rows(records: int) -> Iterator[Row]:
    """Measure the rate beside ten reviewers."""
    items = min(records, _ITEMS)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        _furnish(made, items)
        with live.served(made, serve_workers=1, secret=_SECRET) as server:
            urls = [f"{server.url}?verb=ListRecords&metadataPrefix=oai_dc"]
            reviewers = [_Reviewer(server.url, number) for number in range(REVIEWERS)]
            clicking = partial(meanwhile, partial(_click_all, reviewers))
            ratio, note = beside(urls, *rounds(50 * records, 5, 5.0), clicking)
    yield Row(f"ListRecords while {REVIEWERS} people decide, of alone", ratio, 0.9, is_least=True, note=note)


def _furnish(folder: Path, items: int) -> None:
    """Make an instance with items, some of which have a file that waits, and with users."""
    make_databases(folder)
    with opened(folder) as house:
        files = Files(house)
        house.desk.send(*(Sent(f"{number}", dc(f"Work {number} " + "of many words " * 20)) for number in range(items)))
        house.desk.publish()
        for number in range(min(items, _FILES)):
            files.find(f"{number}", f"Work {number}")
    for number in range(REVIEWERS):
        add_user(folder, f"Reviewer {number}", Role.REVIEWER)
    (folder / "config.toml").write_text("")
    called("gateway", folder, "clock", "--accept", secret=_SECRET)


def _click_all(reviewers: Sequence[_Reviewer], ended: Event) -> Counter[int]:
    in_threads(lambda number: reviewers[number].click(ended), REVIEWERS)
    return sum((reviewer.counts for reviewer in reviewers), Counter[int]())


class _Reviewer:
    """A person with a browser."""

    def __init__(self, url: str, number: int) -> None:
        self._url, self._number, self._session = url, number, requests.Session()
        self.counts = Counter[int]()
        page = self._session.get(urljoin(url, "/review/login")).text
        fields = {"name": f"Reviewer {number}", "password": PASSWORD, "csrf_token": _token(page)}
        answer = self._session.post(urljoin(url, "/review/login"), data=fields)
        assert answer.status_code == 200, answer.status_code

    def click(self, ended: Event) -> None:
        """Click until somebody says that it is enough."""
        for place in count(self._number * _FILES // REVIEWERS):
            item = f"/review/items/oai:gateway.example.org:laro/{place % _FILES}"
            for path in ("/review?order=score", item):
                page = self._get(path)
                if ended.wait(_BETWEEN_SECONDS):
                    return
            self._decide(page, item)
            if ended.wait(_BETWEEN_SECONDS):
                return

    def _get(self, path: str) -> str:
        answer = self._session.get(urljoin(self._url, path))
        self.counts[answer.status_code] += 1
        return answer.text

    def _decide(self, page: str, item: str) -> None:
        """Accept the file of an item, or undo that; another person may have been faster (409)."""
        fields = {name: _value(page, name) for name in ("identifier", "url", "number", "sha256")}
        if not all(fields.values()):
            return
        verdict = "undo" if 'value="undo"' in page else "accept"
        sent = {**fields, "verdict": verdict, "next": item, "csrf_token": _token(page)}
        answer = self._session.post(urljoin(self._url, "/review/decide"), data=sent, allow_redirects=False)
        self.counts[answer.status_code] += 1


def _token(page: str) -> str:
    return _value(page, "csrf_token")


def _value(page: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page)
    return unescape(match[1]) if match else ""
