"""A mirror equals its provider after every round of changes, however often it was killed meanwhile."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path

import pytest

from harvester.mirror.place import opened
from tests.live import called, command, environment, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Item, Provider, serving
from tests.mirror.test_ocfl import judged

SETTINGS = {"fetch_backoff_seconds": 0.01, "fetch_retries": 2}


class World:
    """A provider that changes at random, and what must be fetched because of it."""

    def __init__(self, provider: Provider, seed: int, says: tuple[str, ...]) -> None:
        self.provider, self.chance, self.says = provider, random.Random(seed), says
        self.round = 0
        self.changed: set[str] = set()

    def fill(self, count: int, files: int) -> None:
        for number in range(count):
            name = f"oai:p:{number}"
            self.provider.items[name] = Item(says=self.says)
            for _ in range(self.chance.randint(1, files)):
                self.add(name)

    def add(self, name: str) -> None:
        file = f"f{self.chance.randrange(10**6)}.txt"
        self.provider.items[name].files[file] = self.chance.randbytes(self.chance.randint(0, 5000))
        self.changed.add(f"{name}/{file}")

    def change(self, share: float = 0.2) -> None:
        """Let a share of the objects change: metadata, files added, replaced, withdrawn, deleted, revived."""
        self.round += 1
        self.changed.clear()
        for name, item in self.provider.items.items():
            if self.chance.random() > share:
                continue
            item.datestamp = f"2030-01-{self.round:02}T00:00:00Z"
            item.title = f"In round {self.round}"
            if item.deleted:
                item.deleted = False
                self.changed |= {f"{name}/{file}" for file in item.files}
                continue
            self.chance.choice((self.add, self._replace, self._withdraw, self._delete, self._leave))(name)

    def _replace(self, name: str) -> None:
        for file in list(self.provider.items[name].files)[:1]:
            self.provider.items[name].files[file] = self.chance.randbytes(1000)
            self.changed.add(f"{name}/{file}")

    def _withdraw(self, name: str) -> None:
        for file in list(self.provider.items[name].files)[:1]:
            del self.provider.items[name].files[file]

    def _delete(self, name: str) -> None:
        self.provider.items[name].deleted = True

    def _leave(self, name: str) -> None:
        """Change nothing but the metadata."""


def killed_and_done(folder: Path, base_url: str, chance: random.Random, kills: int) -> None:
    """Mirror a provider by a process that is killed a few times, and at last is not."""
    line = command("harvester", folder.parent / "nowhere", "mirror", base_url, str(folder))
    for _ in range(kills):
        with subprocess.Popen(line, env=environment(SETTINGS), stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(chance.uniform(0.25, 1.2))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
    done = subprocess.run(line, env=environment(SETTINGS), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mirror_that_is_killed_equals_its_provider_after_every_round(tmp_path, seed):
    with serving() as provider:
        world, mirror = World(provider, seed, ("digest",)), Mirror(tmp_path / "mirror", provider)
        world.fill(40, 4)
        for _ in range(4):
            killed_and_done(mirror.folder, provider.base_url, world.chance, 2)
            assert mirror.held() == provider.expected()
            assert set(provider.asked) <= world.changed
            assert max(map(provider.asked.count, provider.asked), default=0) <= 1 + 2
            assert list((mirror.folder / "aside").iterdir()) == []
            provider.asked.clear()
            world.change()


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_a_mirror_of_a_gateway_equals_what_the_gateway_publishes(tmp_path):
    """A gateway that re-exposes the provider says nothing of its files but where they are: the servers are asked."""
    with serving() as provider:
        world = World(provider, 3, ())
        world.fill(30, 4)
        folder = instance(tmp_path / "a", {"p": (provider.base_url, ("oai_didl",))})
        assert called("harvester", folder, "run", "p", **SETTINGS).returncode == 0
        with served(folder, oai_page_size=7) as server:
            mirror = Mirror(tmp_path / "mirror", provider)
            for _ in range(3):
                killed_and_done(mirror.folder, server.url, world.chance, 1)
                held = {name.partition(":p/")[2]: files for name, files in mirror.held().items()}
                assert held == provider.expected()
                world.change()
                ran = called("harvester", folder, "run", "p", **SETTINGS)
                assert ran.returncode == 0, ran.stderr
            audit = called("harvester", tmp_path, "mirror", "audit", str(mirror.folder), "--json", **SETTINGS)
            told = {json.loads(line)["finding"] for line in audit.stdout.splitlines()}
            assert told <= {"stale", "extra", "missing"}  # the last round was not mirrored
            assert told
    assert judged(mirror.folder / "ocfl") == ""
    assert opened(mirror.folder).order.base_url == server.url
