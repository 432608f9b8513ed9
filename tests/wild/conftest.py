"""The recorded repositories, harvested once by the live commands; what every test of this folder looks at."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gateway.model import Quarantined, Run
from gateway.store.sqlite import open_inbox, open_store
from tests import live
from tests.wild.recordings import DATA, Answer, repositories
from tests.wild.recount import Counted, counted
from tests.wild.replay import served


@dataclass
class Expected:
    """What was sent of one source: how many records, and the last version of each by prefix and identifier."""

    received: int = 0
    nameless: Counter[str] = field(default_factory=Counter)  # records without identifier, by file
    last: dict[tuple[str, str], tuple[Answer, Counted]] = field(default_factory=dict)
    ever_alive: set[str] = field(default_factory=set)


@dataclass
class Harvest:
    """The instance after the harvest, what had been sent to it, and what it says it did."""

    folder: Path
    expected: dict[str, Expected]
    runs: dict[str, Run]
    quarantine: list[tuple[str, Quarantined]]  # with the file that the record came in
    whole: set[str]  # the sources whose lists were sent to their proper end


@pytest.fixture(scope="session")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> Harvest:
    """Replay every recorded repository to `harvester run --all`, and return what came of it."""
    if not DATA.exists():
        pytest.skip("for want of ../shared")
    with served(repositories()) as replay:
        sources = {name: (replay.url(name), tuple(each.lists)) for name, each in replay.repositories.items()}
        folder = live.instance(tmp_path_factory.mktemp("wild") / "instance", sources)
        done = live.called("harvester", folder, "run", "--all")
    assert "Traceback" not in done.stderr, done.stderr
    files = {page.body: page.file for each in replay.served.values() for _, page in each}
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        runs = {run.source: run for run in inbox.runs(None, 10_000)}
        quarantine = [(files[inbox.page(each.page).page.body], each) for each in store.quarantined()]
    expected = {name: _expected(replay.served.get(name, [])) for name in sources}
    whole = {name for name, sent in replay.served.items() if all(b"<error" not in page.body for _, page in sent)}
    return Harvest(folder, expected, runs, quarantine, whole)


def _expected(sent: list[tuple[str, Answer]]) -> Expected:
    expected = Expected()
    for prefix, page in sent:
        for record in counted(page.body):
            expected.received += 1
            if not record.identifier:
                expected.nameless[page.file] += 1
                continue
            expected.last[prefix, record.identifier] = page, record
            if not record.is_deleted:
                expected.ever_alive.add(record.identifier)
    return expected
