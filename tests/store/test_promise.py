"""The promise about datestamps, shown with real processes and files.

Publishers are killed, stopped and their clocks stepped at every step, so is a process that compacts all the time, and
the host is rebooted now and then. Strict harvesters poll without any overlap. At the end none of them has missed a
version.

`test_interleavings` shows that a naive store would fail; `resourcesync/test_zero_overlap` follows the log of changes.
"""

import os
import random
import time
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import pytest

from gateway.core.model import Format, Selection, Source
from gateway.core.pieces import identity
from gateway.store.store import Store
from tests.store import publisher
from tests.store.household import Household

PUBLISHERS = 4
VERSIONS = int(os.environ.get("PROMISE_VERSIONS", "300"))  # at least so many are published


class Harvester(Thread):
    """Polls every half second from the horizon of its last list, by pages of fifty, each read in its own snapshot."""

    def __init__(self, folder: Path, seed: int, over: Event) -> None:
        super().__init__()
        self.held: dict[str, int] = {}
        self.received = 0
        self._random = random.Random(seed)
        self.asking = Lock()  # a host does not reboot under a running request
        self._over = over
        self._next_from: int | None = None
        self.store = publisher.store_in(folder, "harvested", step=self._dawdle)

    def _dawdle(self, _name: str) -> None:
        time.sleep(self._random.choice([0, 0, 0, 0, 0.01, 0.2]))

    def run(self) -> None:
        while not self._over.wait(0.5):
            self.harvest()

    def harvest(self) -> None:
        after, horizon = None, None
        while True:
            with self.asking, self.store.view() as view:
                horizon = view.horizon if horizon is None else horizon
                selection = Selection("oai_dc", publisher.SET, self._next_from, horizon)
                page = view.parts(selection, after, 50, only_headers=False, is_exact=bool(self._random.randrange(2)))
            records = identity(page.parts).splitlines()
            for record in records:
                name, version = record.removesuffix(b"</record>").rpartition(b">")[2].decode().split()
                self.held[name] = int(version)
            self.received += len(records)
            if page.next is None:
                break
            after = page.next
        self._next_from = horizon


def reboot(folder: Path, household: Household) -> None:
    household.kill_all()
    publisher.set_host(folder, wall=-9000.0, monotonic=time.monotonic(), boot=str(time.monotonic()))
    household.happened["rebooted"] += 1


@pytest.mark.unmeasured
@pytest.mark.slow
def test_no_strict_harvester_misses_a_version_while_publishers_are_killed_and_stopped(tmp_path, capsys):
    assert _missed_in_a_storm(tmp_path, capsys, VERSIONS, reboots=2) == [0, 0, 0]


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.share(one_in=2)
def test_no_strict_harvester_misses_a_version_on_a_server_that_machines_share(tmp_path, capsys, postgres):
    """The clock of the server is stepped by seconds, or it would stand still until the end."""
    (tmp_path / "url").write_text(postgres(lambda _url: None))
    publisher.set_host(tmp_path, step=3)
    assert _missed_in_a_storm(tmp_path, capsys, VERSIONS // 3, reboots=0) == [0, 0, 0]


def _missed_in_a_storm(folder: Path, capsys: Any, versions: int, reboots: int) -> list[int]:
    """Return how many versions each harvester missed."""
    with closing(publisher.store_in(folder, create=True)) as store:
        store.add_source(Source("chaos", "https://chaos.example.org"))
        store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
        over, household = Event(), Household(folder, PUBLISHERS)
        harvesters = [Harvester(folder, seed, over) for seed in range(3)]
        for harvester in harvesters:
            harvester.start()
        try:
            _make_chaos(folder, household, harvesters, store, versions, reboots)
        finally:
            household.kill_all()
            over.set()
            for harvester in harvesters:
                harvester.join()
        household.settle()
        missed = [_missed(harvester, store) for harvester in harvesters]
        assert store.check() == ()
        published = _published(store)
    with capsys.disabled():
        print(
            f"\n{published} versions, {dict(household.happened)}, "
            f"received {[harvester.received for harvester in harvesters]}, missed {missed}"
        )
    return missed


def _make_chaos(
    folder: Path, household: Household, harvesters: list[Harvester], store: Store, versions: int, reboots: int
) -> None:
    """Let publishers work, be killed and stopped, and reboot the host meanwhile."""
    for part in range(1, reboots + 2):
        household.tend_until(lambda part=part: _published(store) >= part * versions // (reboots + 1))  # type: ignore[misc]
        if part <= reboots:
            with ExitStack() as stack:
                for harvester in harvesters:
                    stack.enter_context(harvester.asking)
                reboot(folder, household)
    household.tend_until(lambda: household.happened["killed"] >= 3 and household.happened["stopped"] > 0)


def _published(store: Store) -> int:
    with store.view() as view:
        return view.last_change()


def _missed(harvester: Harvester, store: Store) -> int:
    """Let the harvester ask twice more; return of how many items it does not hold the last version."""
    for _ in range(2):
        harvester.harvest()
    harvester.store.close()
    truth = {}
    with store.view() as view:
        for record in view.page(Selection("oai_dc"), None, 10_000).records:
            name, version = record.removesuffix(b"</record>").rpartition(b">")[2].decode().split()
            truth[name] = int(version)
    return sum(harvester.held.get(name) != version for name, version in truth.items())
