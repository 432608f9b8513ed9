"""A provider that changes at random, and mirrors of it that are killed meanwhile.

`python -m tests.mirror.rounds --objects 500 --files 1200 --rounds 10` is the proof at full size: a gateway publishes
the provider, and after every round the mirror of the gateway must equal it byte by byte.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from urllib.request import urlopen

from harvester.mirror.inventory import read
from harvester.mirror.object_state import DOCUMENT
from harvester.mirror.open_folder import opened
from tests.live import called, command, environment, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Item, Provider, serving
from tests.mirror.test_ocfl import judged

SETTINGS = {"fetch_backoff_seconds": 0.01, "fetch_retries": 2}
_RECORD = re.compile(rb"(?s)<record.*?<identifier>(.*?)</identifier>.*?(?:<metadata>(.*?)</metadata>.*?)?</record>")
_TOKEN = re.compile(rb"<resumptionToken[^>]*>([^<]+)<")


def _text(chance: random.Random, size: int) -> bytes:
    """Return so many random letters: what is announced as text and is none would be doubtful."""
    return bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz \n", k=size))


class World:
    """A provider that changes at random, and what must be fetched because of it."""

    def __init__(self, provider: Provider, seed: int, says: tuple[str, ...]) -> None:
        self.provider, self.chance, self.says = provider, random.Random(seed), says
        self.round = 0
        self.changed: set[str] = set()

    def fill(self, objects: int, files: int) -> None:
        """Give the provider so many objects with so many files in all, at least one each."""
        names = [f"oai:p:{number}" for number in range(objects)]
        self.provider.items.update({name: Item(says=self.says) for name in names})
        for name in (*names, *self.chance.choices(names, k=files - objects)):
            self.add(name)

    def add(self, name: str) -> None:
        file = f"f{self.chance.randrange(10**6)}.txt"
        self.provider.items[name].files[file] = _text(self.chance, self.chance.randint(1, 5000))
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
            self.provider.items[name].files[file] = _text(self.chance, 1000)
            self.changed.add(f"{name}/{file}")

    def _withdraw(self, name: str) -> None:
        for file in list(self.provider.items[name].files)[:1]:
            del self.provider.items[name].files[file]

    def _delete(self, name: str) -> None:
        self.provider.items[name].deleted = True

    def _leave(self, name: str) -> None:
        """Change nothing but the metadata."""


def killed_and_done(folder: Path, base_url: str, chance: random.Random, kills: int, longest: float = 1.2) -> int:
    """Mirror a provider by a process that is killed a few times, and at last is not; tell how often it was killed."""
    killed = 0
    line = command("harvester", folder.parent / "nowhere", "mirror", base_url, str(folder))
    line += ["--allow", "127.0.0.1"]  # the files that a gateway names lie at another port
    for _ in range(kills):
        with subprocess.Popen(line, env=environment(SETTINGS), stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(chance.uniform(0.25, longest))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                killed += 1
    done = subprocess.run(line, env=environment(SETTINGS), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return killed


def listed(base_url: str) -> Iterator[tuple[str, bytes]]:
    """Return what a gateway lists as oai_didl: identifiers, and the documents as they stand in the answers, or b""."""
    query = "metadataPrefix=oai_didl"
    while query:
        with urlopen(f"{base_url}?verb=ListRecords&{query}") as answer:
            body = answer.read()
        for identifier, document in _RECORD.findall(body):
            yield unescape(identifier.decode()), document
        token = _TOKEN.search(body)
        query = f"resumptionToken={token[1].decode()}" if token else ""


def documents(folder: Path) -> dict[str, bytes]:
    """Return the documents that a mirror holds, b"" for objects that are deleted."""
    place, held = opened(folder), {}
    for name in place.root.objects():
        inventory = place.root.inventory(_identifier(name))
        is_there = DOCUMENT in inventory.state
        held[inventory.identifier] = (name / inventory.place(DOCUMENT)).read_bytes() if is_there else b""
    return held


def _identifier(folder: Path) -> str:
    return str(read((folder / "inventory.json").read_bytes()).identifier)


def proven(
    folder: Path,
    objects: int,
    files: int,
    rounds: int,
    kills: int,
    seed: int,
    say: Callable[[str], None],
    says: tuple[str, ...] = ("digest", "size"),
) -> None:
    """Let a gateway publish a provider that changes, and hold the mirror of it against it after every round."""
    with serving() as provider:
        world = World(provider, seed, says)
        world.fill(objects, files)
        gateway = instance(folder / "a", {"p": (provider.base_url, ("oai_didl",))})
        with served(gateway) as server:
            mirror = Mirror(folder / "mirror", provider)
            for number in range(rounds + 1):
                ran = called("harvester", gateway, "run", "p", **SETTINGS)  # type: ignore[arg-type]
                assert ran.returncode == 0, ran.stderr
                started = monotonic()
                killed = killed_and_done(mirror.folder, server.url, world.chance, kills, 1 + objects / 150)
                _equal(mirror, provider, dict(listed(server.url)))
                _asked_for_no_more(world, killed)
                summary = f"{len(world.changed)} files changed, {len(set(provider.asked))} fetched"
                say(f"round {number}: {summary}, killed {killed} times, {monotonic() - started:.1f} s: equal")
                provider.asked.clear()
                world.change()


def _equal(mirror: Mirror, provider: Provider, published: dict[str, bytes]) -> None:
    held = documents(mirror.folder)
    assert {name for name, files in held.items() if files} == {name for name, files in published.items() if files}
    assert held.keys() <= published.keys()  # what was deleted before it was ever held is not kept
    assert {name: published[name] for name in held} == held
    assert {name.partition(":p/")[2]: files for name, files in mirror.held().items()} == provider.expected()
    assert not list((mirror.folder / "aside").iterdir())


def _asked_for_no_more(world: World, killed: int) -> None:
    """Check that what did not change was not asked for; what did once, and at most once more for each kill."""
    asked = world.provider.asked
    assert not set(asked) - world.changed, sorted(set(asked) - world.changed)
    assert max(map(asked.count, set(asked)), default=0) <= 1 + killed


def main() -> None:
    """Prove it at the size that the command line says, in a folder that is removed afterwards."""
    parser = ArgumentParser(description="Hold the mirror of a gateway against it, round after round.")
    sizes = {"objects": 500, "files": 1200, "rounds": 10, "kills": 3, "seed": 1}
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    parser.add_argument(
        "--says", default="digest,size", help="what is stated of files: digest, md5, sha1, sha512, size"
    )
    given = vars(parser.parse_args())
    given["says"] = tuple(given["says"].split(","))
    with TemporaryDirectory() as folder:
        proven(Path(folder), **given, say=lambda line: print(line, flush=True))
        judgement = judged(Path(folder) / "mirror" / "ocfl")
    print(judgement or "The OCFL root is valid, says ocfl-py.")
    sys.exit(bool(judgement))


if __name__ == "__main__":
    main()
