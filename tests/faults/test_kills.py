"""Killed at any moment, hundreds of times: in the end the store is what an undisturbed harvest makes of the source."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests import live
from tests.faults.harvest import exposed
from tests.faults.launcher import Launcher, launching
from tests.faults.site import Asked, Said, Serve, Site, Stage
from tests.faults.source import records
from tests.opening import open_inbox
from tests.seeds import SEED

pytestmark = pytest.mark.slow

RECORDS, BEFORE, PAGE = 3000, 300, 15
STATEMENTS = 1_200  # of the beginning of a harvest and some pages, about
_ALL_PASS = "GATEWAY_SWEEP_MOST_SHARE=1"  # a third of what is held goes, and nobody is there to let it pass
# FAULTS_KILLS=200 for the whole proof, which takes about a minute.
KILLS = int(os.environ.get("FAULTS_KILLS", "8"))


def _remembered(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Make every page of a list once: the source is large, and asked for the same pages by two harvests."""
    if not asked.is_list or asked.query not in stage.kept:
        answer = serve(asked)
        stage.kept[asked.query] = answer.body
        return answer
    return Said(stage.kept[asked.query])


@pytest.fixture
def changing(site: Callable[[], tuple[str, Site]]) -> Site:
    """Return a source whose first records were harvested days before the others came, some changed and some went."""
    _, served = site()
    served.source.page_size = PAGE
    served.source.held = {record.identifier: record for record in records(BEFORE)}
    served.distort([_remembered])
    return served


def _change(served: Site) -> None:
    served.clock.sleep(3 * 86_400)
    source = served.source
    for number, record in enumerate(list(source.held.values())):
        if number % 3 == 0:
            source.put(record._replace(is_deleted=True))
        elif number % 3 == 1:
            source.put(record._replace(title=f"{record.title} again", sets=("b:c", "a"), is_deleted=False))
    for number, record in enumerate(records(RECORDS)):
        if record.identifier not in source.held:
            served.clock.now += number % 50 == 0
            source.put(record)
    served.clock.sleep(3 * 86_400)  # farther than the overlap: whoever has everything is told that nothing is new


def _lists(served: Site) -> Counter[str]:
    return Counter(request.query for request in served.asked if request.is_list)


def _finish(harvester: Launcher, folder: Path) -> None:
    harvester.start(_ALL_PASS, "--instance", str(folder), "run", "x")
    assert harvester.wait() == 0, (folder.parent / "said").read_text()[-3000:]


def _killed(harvester: Launcher, folder: Path, served: Site, dice: random.Random) -> str:
    """Kill a harvest at some step, and tell in what it was disturbed."""
    before = len(served.asked)
    if not harvester.is_killed(dice.randrange(1, STATEMENTS), _ALL_PASS, "--instance", str(folder), "run", "x"):
        return "nothing"
    return "a list" if any(request.is_list for request in served.asked[before:]) else "its beginning"


@pytest.mark.slow
@pytest.mark.unmeasured
def test_kills_at_random_moments_lose_nothing_and_repeat_a_page_at_most(changing: Site, scratch: Path) -> None:
    undisturbed, disturbed = scratch / "undisturbed", scratch / "disturbed"
    live.instance(undisturbed, {"x": (changing.url, ("oai_dc",))})
    with launching(scratch / "said") as harvester:
        _finish(harvester, undisturbed)
        shutil.copytree(undisturbed, disturbed)
        _change(changing)
        changing.asked.clear()
        _finish(harvester, undisturbed)
        pages = _lists(changing)
        changing.asked.clear()
        dice = random.Random(SEED)
        kills = Counter(_killed(harvester, disturbed, changing, dice) for _ in range(KILLS))
        _finish(harvester, disturbed)
    print(f"seed {SEED}, kills in {dict(kills)}, {len(pages)} pages, asked for {_lists(changing).total()} times")
    at_work = kills.total() - kills["nothing"]
    assert at_work >= KILLS / 2
    # Each asks for at most the page in flight again; one that finds the list whole asks once what is new.
    assert _lists(changing).total() <= pages.total() + KILLS + 1
    assert exposed(disturbed) == exposed(undisturbed)
    with closing(open_inbox(disturbed)) as inbox:
        assert "running" not in {run.outcome.value for run in inbox.runs("x", 1000)}
