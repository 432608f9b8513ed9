"""The recorded repositories, harvested once by the live commands; what every test of this folder looks at."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path

import pytest

from gateway.core.model import Quarantined, Run
from gateway.store.opening import open_inbox, open_store
from tests import live
from tests.faults.conftest import house, site, sites  # noqa: F401 - fixtures of test_quirks.py
from tests.seeds import drawn
from tests.wild.recordings import DATA, Answer, repositories
from tests.wild.recount import Counted, counted
from tests.wild.replay import served

ONE_IN = 3  # of the recorded repositories, CI replays one of so many, others for each state of the program


@dataclass(repr=False)  # a failing test would write out all that was ever sent
class Expected:
    """What was sent of one source: how many records, the last version of each, and whether every list was whole."""

    received: int = 0
    last: dict[tuple[str, str], tuple[Answer, Counted]] = field(default_factory=dict)  # by prefix and identifier
    identifiers: set[str] = field(default_factory=set)
    ever_alive: set[str] = field(default_factory=set)
    is_whole: bool = True
    is_asked_again: bool = False  # for a page that it had sent: what came before is not taken twice


@dataclass(repr=False)
class Harvest:
    """The instance after the harvest, what had been sent to it, and what it says it did."""

    folder: Path
    expected: dict[str, Expected]
    runs: dict[str, Run]
    quarantine: list[tuple[str, Quarantined]]  # with the file that the record came in


@pytest.fixture(scope="session")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> Harvest:
    """Replay every recorded repository, in CI a share of them, to `harvester run --all`, and return what came of it."""
    if not DATA.exists():
        pytest.skip("because ../shared is missing")
    with served(drawn(repositories(), ONE_IN)) as replay:
        sources = {
            name: (replay.url(name), tuple(repository.lists)) for name, repository in replay.repositories.items()
        }
        folder = live.instance(tmp_path_factory.mktemp("wild") / "instance", sources)
        with ThreadPoolExecutor() as pool:
            outputs = pool.map(partial(_run, folder), ([*sources][::2], [*sources][1::2]))
            assert [output for output in outputs if "Traceback" in output] == []
    files = {page.body: page.file for exchanges in replay.served.values() for _, page in exchanges}
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        runs = {run.source: run for run in inbox.runs(None, 10_000)}
        # A record that is listed as living and as deleted is asked for; nobody recorded the answer.
        arrived = [(inbox.page(item.page).page.body, item) for item in store.quarantined()]
        quarantine = [(files[body], item) for body, item in arrived if body in files]
    expected = {name: _expected(replay.served.get(name, [])) for name in sources}
    return Harvest(folder, expected, runs, quarantine)


def _run(folder: Path, names: list[str]) -> str:
    """Harvest some sources; return what was said."""
    options = {"is_measured": False, "publish_processes": 0, "fetch_backoff_seconds": 0.01}
    return live.called("harvester", folder, "run", *names, **options).stderr  # type: ignore[arg-type]


def _expected(sent: list[tuple[str, Answer]]) -> Expected:
    expected = Expected()
    lists: dict[str, list[Answer]] = {}
    at = ""
    for prefix, page in sent:
        at = prefix or at  # a refused token says nothing of its list, which is the one being walked
        lists.setdefault(at, []).append(page)
        before = lists[at][-2:-1]
        expected.is_asked_again = expected.is_asked_again or page in lists[at][:-1]
        records = counted(page.body)
        if before and records and _names(records) == _names(counted(before[0].body)):
            expected.is_whole = False  # a page that repeats the one before ends a list, and is not taken
            continue
        for record in records:
            _take(expected, at, page, record)
    expected.is_whole = expected.is_whole and all(map(_is_whole, lists.values()))
    return expected


def _names(records: list[Counted]) -> list[str]:
    return [record.identifier for record in records]


def _take(expected: Expected, prefix: str, page: Answer, record: Counted) -> None:
    expected.received += 1
    if record.identifier:
        expected.last[prefix, record.identifier] = page, record
        expected.identifiers.add(record.identifier)
        if not record.is_deleted:
            expected.ever_alive.add(record.identifier)


def _is_whole(pages: list[Answer]) -> bool:
    """Tell whether a list was sent to its end, and as long as it was announced.

    A number that is that of the first page, which has a token, is no announcement.
    """
    sent = list(takewhile(lambda page: b"<error" not in page.body, pages))
    if not sent:
        return b"noRecordsMatch" in pages[0].body
    announced = re.findall(rb"completeListSize=.([0-9]+)", sent[-1].body)
    received = sum(len(counted(page.body)) for page in sent)
    if announced and not (len(sent) == 1 and sent[0].token):
        return received == int(announced[0])
    return sent[-1].token == "" and len(sent) == len(pages)
