"""The full loop: our harvester follows our own source, woken by our own hub, while everything is killed.

Two instances, each with its gateway and its `tend`, as processes. The first publishes random changes. The second takes
them only when the hub has notified it. After each round, both have the same records, deleted ones too. A `tend` that is
killed may have harvested before.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from gateway.core.model import Selection
from gateway.core.names import upstream_identifier
from gateway.ops.upkeep import make
from gateway.publish.descriptions import describe
from gateway.store.opening import open_store
from harvester.cli import main
from tests import live
from tests.publish.desk import Desk, Sent, dc
from tests.schedule.hub.conftest import KEY
from tests.seeds import SEED
from tests.waiting import wait_for_horizon

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

ROUNDS = int(os.environ.get("LOOP_ROUNDS", "1"))  # the whole proof has 10
ITEMS = 60


class Kept(NamedTuple):
    """What an instance has of an item: whether it is deleted, and the bytes of its metadata."""

    is_deleted: bool
    metadata: bytes


class Site:
    """An instance with its gateway, which may be killed, and is started again at the same port."""

    def __init__(self, folder: Path, **settings: object) -> None:
        make(folder, {})
        self.folder, self.url = folder, f"http://127.0.0.1:{live.free_port()}"
        (folder / "sources.toml").write_text("")
        lines = {"base_url": f"{self.url}/oai", "secret": KEY, "hub_allow": "127.0.0.0/8", "fetch_delay_seconds": 0}
        lines |= {"fetch_retries": 0, "serve_workers": 1, **settings}
        (folder / "config.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items()))
        self._gateway: subprocess.Popen[bytes] | None = None

    def serve(self) -> None:
        port = self.url.rpartition(":")[2]
        line = live.command("gateway", self.folder, "serve", "--host", "127.0.0.1", "--port", port)
        self._gateway = subprocess.Popen(
            line, env=live.unmeasured(dict(os.environ)), stderr=subprocess.DEVNULL, start_new_session=True
        )
        live.await_server(int(port))

    def kill(self) -> None:
        """Kill the gateway with all its workers (SIGKILL)."""
        assert self._gateway is not None
        os.killpg(self._gateway.pid, signal.SIGKILL)
        self._gateway.wait()

    def call(self, *words: str) -> str:
        """Run the harvester to its end; return what it wrote."""
        done = CliRunner().invoke(main, ["--instance", str(self.folder), *words])
        assert done.exit_code in (0, 3), done.output
        return done.stdout

    def tend(self) -> list[dict[str, object]]:
        facts = [json.loads(line) for line in self.call("tend", "--json").splitlines()]
        return [fact for fact in facts if fact["stage"] != "compaction"]  # how much there is depends on the machine

    def tend_and_die(self, seconds: float) -> bool:
        """Run `tend`, and kill it after so many seconds; return whether it was still running."""
        line = live.command("harvester", self.folder, "tend")
        surroundings = live.unmeasured(dict(os.environ))
        with subprocess.Popen(line, env=surroundings, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        return process.returncode == -signal.SIGKILL

    def change(self, database: str, statement: str) -> None:
        with closing(sqlite3.connect(self.folder / database, timeout=240)) as connection, connection:
            connection.execute(statement)

    def hurry(self) -> None:
        """Let an hour pass for what waits: a delivery that failed, a harvest so soon after the last one."""
        self.change("subscriptions.sqlite", "update subscriber set next_at = 0")
        self.change("subscriptions.sqlite", "update subscription set notified_at = max(notified_at - 3600, 0)")
        self.change("inbox.sqlite", "update run set started_at = started_at - 3600, ended_at = ended_at - 3600")

    def kept(self) -> dict[str, Kept]:
        """Return what there is of each item, by the last part of its upstream identifier."""
        with closing(open_store(self.folder, only_reads=True)) as store, store.view() as view:
            records = view.page(Selection("oai_dc"), None, 10_000).records
            described = map(describe, records)
            return {
                upstream_identifier(one.identifier).rpartition("/")[2]: Kept(one.is_deleted, one.metadata)
                for one in described
            }


@contextmanager
def running(*sites: Site) -> Iterator[None]:
    for site in sites:
        site.serve()
    try:
        yield
    finally:
        for site in sites:
            site.kill()


def publish(desk: Desk, dice: random.Random, round_: int) -> None:
    """Publish random changes; return when the horizon has passed them."""
    gone = dice.sample(range(ITEMS), 2)  # more at once would wait for a person
    names = sorted({*dice.sample(range(ITEMS), dice.randint(1, 40)), *gone} if round_ else range(ITEMS))
    desk.send(*(Sent(str(name), None if name in gone else dc(f"Title {name} &lt; {round_}")) for name in names))
    desk.now = time.time() - 1
    desk.publish()
    wait_for_horizon(desk.folder)


def test_a_second_instance_is_identical_after_each_round_though_everything_is_killed(tmp_path, capsys):
    dice, kills = random.Random(SEED), {"gateway": 0, "hub": 0, "harvest": 0}
    first = Site(tmp_path / "first", resourcesync_lists="oai_dc")
    second = Site(tmp_path / "second")
    desk = Desk(first.folder)
    woken = 0
    with closing(desk.store), closing(desk.inbox), running(first, second):
        desk.now = time.time() - 3
        desk.add("laro")
        publish(desk, dice, 0)
        first.call("tend")  # it keeps the dumps
        second.call("source", "add", "first", first.url, "--kind", "resourcesync")
        second.call("run", "first")
        second.call("source", "subscribe", "first", "--wait", "0")
        assert {"stage": "hub", "counts": {"subscribed": 1}} in first.tend()
        assert second.kept().keys() == {name for name, kept in first.kept().items() if not kept.is_deleted}
        for round_ in range(1, ROUNDS + 1):
            publish(desk, dice, round_)
            if dice.random() < 0.4:
                second.kill()  # the delivery is refused
                first.tend()
                second.serve()
                kills["gateway"] += 1
            elif dice.random() < 0.3:
                first.kill()  # the hub delivers without a body
                kills["gateway"] += 1
                first.tend()
                first.serve()
            if dice.random() < 0.6:
                first.hurry()
                kills["hub"] += first.tend_and_die(dice.uniform(0.3, 1.5))
            first.hurry()
            first.tend()
            second.hurry()
            if may_be_done := dice.random() < 0.7:
                kills["harvest"] += second.tend_and_die(dice.uniform(0.3, 1.5))
                second.hurry()
            woken += "harvest" in {done["stage"] for done in second.tend()} or may_be_done
            assert_identical(first.kept(), second.kept(), round_)
            assert first.tend() == [], "everything is delivered"
    assert woken == ROUNDS
    assert ROUNDS < 10 or all(kills.values()), f"seed {SEED}: {kills}"
    with capsys.disabled():
        print(f"\n{ROUNDS} rounds of seed {SEED}: killed {kills}, {woken} rounds with a harvest after a notification")


def assert_identical(ours: dict[str, Kept], theirs: dict[str, Kept], round_: int) -> None:
    """Compare two instances. What was deleted before the second saw it may be missing there, and is not there."""
    never_seen = {name for name in ours.keys() - theirs.keys() if ours[name].is_deleted}
    wanted = {name: kept for name, kept in ours.items() if name not in never_seen}
    different = {name for name in wanted.keys() | theirs.keys() if wanted.get(name) != theirs.get(name)}
    assert not different, f"round {round_} of seed {SEED}: {sorted(different)}"
