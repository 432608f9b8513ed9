"""Files that are replaced in place, behind two gateways, and rechecks that are killed meanwhile.

`python -m tests.mirror.rounds_in_place` is the proof: after each round the mirror holds what the provider serves, or
names the file because its record still states another digest; and nothing is sent that a validator told unchanged.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
from argparse import ArgumentParser
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.live import called, command, environment, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Item, Provider, serving
from tests.mirror.rounds import SETTINGS, World

KINDS = ((), ("size",), ("modified",), ("md5",), ("sha1",), ("digest",), ("sha512",), ("crc32",))
_STATED = {"md5", "sha1", "digest", "sha512", "crc32"}
_PLAIN = {**SETTINGS, "recheck_whole_every": 0}


class Replacing(World):
    """A provider whose items state something each, whose files are also replaced in place."""

    def __init__(self, provider: Provider, seed: int) -> None:
        super().__init__(provider, seed, ())
        self.in_place: set[str] = set()  # replaced under a record that states another digest

    def fill(self, objects: int, files: int) -> None:
        super().fill(objects, files)
        for number, item in enumerate(self.provider.items.values()):
            item.says = KINDS[number % len(KINDS)]

    def dated(self) -> None:
        """Give each file the validator of its server: an ETag, a date, or none; a new date where bytes changed."""
        for number, (name, item) in enumerate(self.provider.items.items()):
            for file in item.files:
                path, kind = f"{name}/{file}", number // len(KINDS) % 3
                if kind == 1 and (path in self.changed or path not in self.provider.dates):
                    self.provider.dates[path] = formatdate(1_600_000_000 + 1000 * self.round, usegmt=True)
                elif kind == 2:
                    self.provider.dates[path] = ""

    def change(self, share: float = 0.2) -> None:
        """Change records, then bytes of other objects under records that stay as they are."""
        for item in self.provider.items.values():
            item.document = b""
        before = {name: item.datestamp for name, item in self.provider.items.items()}
        documents = {name: self.provider._didl(name) for name in before if name not in self._frozen()}
        super().change(share)
        for name, item in self.provider.items.items():
            is_same = item.datestamp == before[name]
            if not is_same:
                told_now = {each for each in self.in_place if each.startswith(f"{name}/")}
                self.in_place -= told_now
                self.changed |= told_now
            elif not item.deleted and item.files and self.chance.random() < share:
                item.document = documents.get(name, b"")
                self._in_place(name, item)
        self.dated()

    def _frozen(self) -> set[str]:
        return {each.rpartition("/")[0] for each in self.in_place}

    def _in_place(self, name: str, item: Item) -> None:
        file = self.chance.choice(list(item.files))
        size = len(item.files[file])
        item.files[file] = bytes(self.chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=size))
        self.changed.add(f"{name}/{file}")
        if _STATED & set(item.says):
            self.in_place.add(f"{name}/{file}")


def killed(line: list[str], chance: random.Random, kills: int) -> int:
    """Start a command so often, and kill it after a while; tell how often it had not ended."""
    count = 0
    for _ in range(kills):
        with subprocess.Popen(
            line, env=environment(_PLAIN), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                process.wait(chance.uniform(0.3, 1.6))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                count += 1
    return count


def proven(
    folder: Path, objects: int, files: int, rounds: int, kills: int, seed: int, say: Callable[[str], None]
) -> None:
    """Hold the mirror of a gateway of a gateway against the provider after every round."""
    with serving() as provider:
        world = Replacing(provider, seed)
        world.fill(objects, files)
        world.dated()
        first = instance(folder / "a", {"p": (provider.base_url, ("oai_didl",))})
        with served(first) as one:
            second = instance(folder / "b", {"a": (one.url, ("oai_didl",))})
            with served(second) as two:
                mirror, total = Mirror(folder / "mirror", provider), 0
                for number in range(rounds):
                    started = monotonic()
                    for gateway, name in ((first, "p"), (second, "a")):
                        ran = called("harvester", gateway, "run", name, "--yes", **SETTINGS)
                        assert ran.returncode == 0, ran.stderr
                    left = kills * (number + 1) // rounds - kills * number // rounds
                    total += _mirrored(mirror, two.url, world, left)
                    told = f"{len(world.changed)} changed, {len(world.in_place)} contradict their record"
                    say(f"round {number}: {told}, {total} kills, {monotonic() - started:.1f} s: 0 stale, 0 needless")
                    world.change()
        audit = called("harvester", folder, "mirror", "audit", str(mirror.folder), "--offline", "--json", **SETTINGS)
        assert {json.loads(line)["finding"] for line in audit.stdout.splitlines()} <= {"incomplete"}, audit.stdout


def _mirrored(mirror: Mirror, url: str, world: Replacing, kills: int) -> int:
    """Mirror and recheck, killed at first; compare what is held and what was sent."""
    allowed = ["--allow", "127.0.0.1"]
    nowhere = mirror.folder.parent / "nowhere"
    run = command("harvester", nowhere, "mirror", url, str(mirror.folder), "--yes", *allowed)
    again = command("harvester", nowhere, "mirror", "recheck", str(mirror.folder), "--json", *allowed)
    count = killed(run, world.chance, kills // 2)
    done = subprocess.run(run, env=environment(_PLAIN), check=False, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    count += killed(again, world.chance, kills - kills // 2)
    done = subprocess.run(again, env=environment(_PLAIN), check=False, capture_output=True, text=True)
    receipt = json.loads(done.stdout)
    _compared(mirror, world, done.returncode, json.dumps(receipt))
    return count


def _compared(mirror: Mirror, world: Replacing, status: int, told: str) -> None:
    provider = world.provider
    held = {name.partition(":p/")[2]: files for name, files in mirror.held().items()}
    expected = provider.expected()
    assert held.keys() == expected.keys()
    living = {f"{name}/{file}" for name, files in expected.items() for file in files}
    stale = {each for each in living if _of(held, each) != _of(expected, each)}
    assert stale <= world.in_place, sorted(stale - world.in_place)
    for each in stale:
        assert status == 3, told
        assert each.rpartition("/")[0] in told, each
    needless = {each for each in provider.sent if each not in world.changed | stale and provider.dates.get(each) != ""}
    assert not needless, sorted(needless)
    provider.sent.clear()


def _of(found: dict[str, dict[str, bytes]], path: str) -> bytes | None:
    name, _, file = path.rpartition("/")
    return found[name].get(file)


def main() -> None:
    """Prove it at the size that the command line says, in a folder that is removed afterwards."""
    parser = ArgumentParser(description="Hold a mirror against a provider whose files are replaced in place.")
    for name, default in {"objects": 48, "files": 120, "rounds": 17, "kills": 28, "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    given = vars(parser.parse_args())
    with TemporaryDirectory() as folder:
        proven(Path(folder), **given, say=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
