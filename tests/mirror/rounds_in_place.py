"""Files that are replaced in place behind two gateways, while every command is killed at random moments.

`python -m tests.mirror.rounds_in_place` is the proof. After each round, for each file by itself: the mirror holds what
the provider serves; or it names the file because its record states something else, and holds what it held before. What
a validator tells unchanged is not sent, except in the rounds in which a file is asked for whole. Only files whose
servers say "unchanged" although they have changed may be stale in silence, until that round.
"""

from __future__ import annotations

import json
import random
import signal
import socket
import sqlite3
import subprocess
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import gmtime, monotonic, sleep, strftime
from typing import Any, Self
from urllib.parse import unquote
from urllib.request import urlopen

from harvester.mirror.recheck_schedule import NAME
from tests.live import command, environment, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import OTHERS, Item, Provider, serving
from tests.mirror.rounds import SETTINGS

KINDS: tuple[tuple[str, ...], ...] = (
    *((), ("size",), ("modified",), ("md5",), ("sha1",), ("digest",), ("sha512",), ("crc32",), ("adler32",)),
    *(("digest", "size"), ("size", "modified"), ("crc32", "size")),
)
SERVERS = ("strong", "weak", "date", "both", "none")  # what validates a file
_LETTERS = b"abcdefghijklmnopqrstuvwxyz \n"
_TRIES = 40  # to hit a process before it ends
_MOST_HIDDEN = 240  # seconds; what a killed run was about to publish holds back the answers of a gateway for a minute


@dataclass
class File:
    """A file of the provider: what its record states, how it is validated, and what has become of it."""

    server: str
    stated: bytes  # what it was when its record was written
    entity_tag: int = 0
    date: int = 0
    is_new: bool = True  # to be sent once: new, of other bytes, or with other validators
    hidden_for: int = -1  # finished rechecks since its server began to hide a change; -1: it hides nothing
    held: bytes | None = None  # by the mirror after this round
    held_before: bytes | None = None  # after the last one


class World:
    """A provider whose records and files change at random, each by itself."""

    def __init__(self, provider: Provider, seed: int, *, is_behind: bool) -> None:
        self.provider, self.chance, self.is_behind = provider, random.Random(seed), is_behind
        self.files: dict[str, File] = {}
        self.done: Counter[str] = Counter()
        self.given: Counter[tuple[str, ...]] = Counter()  # files with each kind of fixity
        self.round = 0

    def fill(self, objects: int, files: int) -> None:
        """Give the provider so many objects with so many files in all, at least one each."""
        names = [f"oai:p:{number}" for number in range(objects)]
        for number, name in enumerate(names):
            self.provider.items[name] = Item(says=KINDS[number % len(KINDS)])
        for number in range(files):
            self._add(names[number % objects])
        self._write(names)

    def content(self, path: str) -> bytes:
        name, _, file = path.rpartition("/")
        return self.provider.items[name].files[file]

    @property
    def living(self) -> list[str]:
        """The files of the objects that are not deleted."""
        return [
            f"{name}/{file}" for name, item in self.provider.items.items() if not item.deleted for file in item.files
        ]

    def contradicts(self, path: str) -> bool:
        """Tell whether a file is not what its record states."""
        stated, content = self.files[path].stated, self.content(path)
        says = self.provider.items[path.rpartition("/")[0]].says
        if "size" in says and len(stated) != len(content):
            return True
        return bool({"digest", *OTHERS} & set(says)) and stated != content

    # -- changes --

    def change(self, share: float = 0.2) -> None:
        """Let a share of the records change, and a share of the files of the other objects."""
        self.round += 1
        for file in self.files.values():
            file.is_new = False
        changes = (self._add, self._replace, self._withdraw, self._delete, self._retitle, self._retitle_falsely)
        for name, item in self.provider.items.items():
            if self.chance.random() < share:
                item.datestamp, item.title = f"2030-01-{self.round:02}T00:00:00Z", f"In round {self.round}"
                if item.deleted:
                    self._revive(name)
                else:
                    self._do(self.chance.choice(changes), name)
            elif not item.deleted and item.files and self.chance.random() < share:
                in_place = (self._other, self._longer, self._hide, self._touch, self._restore)
                silently = () if self.is_behind else (self._restate,)
                self._do(self.chance.choice((*in_place, self._other, *silently)), name)
        self._write(self.provider.items)

    def _do(self, change: Callable[[str], None], name: str) -> None:
        change(name)
        self.done[change.__name__.strip("_")] += 1

    def _add(self, name: str) -> None:
        file = f"f{self.chance.randrange(10**6)}.txt"
        content = self._text(self.chance.randint(100, 5000))
        self.provider.items[name].files[file] = content
        server = SERVERS[self.given[self.provider.items[name].says] % len(SERVERS)]  # each with each kind of fixity
        self.given[self.provider.items[name].says] += 1
        self.files[f"{name}/{file}"] = File(server, content)
        self._validate(f"{name}/{file}")
        self._state(name)

    def _replace(self, name: str) -> None:
        for path in self._some(name):
            self._put(path, self._text(1000))
        self._state(name)

    def _withdraw(self, name: str) -> None:
        for path in self._some(name):
            del self.provider.items[name].files[path.rpartition("/")[2]], self.files[path]
        self._state(name)

    def _delete(self, name: str) -> None:
        self.provider.items[name].deleted = True

    def _revive(self, name: str) -> None:
        self.provider.items[name].deleted = False
        for file in self.provider.items[name].files:
            self.files[f"{name}/{file}"].is_new = True
        self._state(name)

    def _retitle(self, name: str) -> None:
        self._state(name)

    def _retitle_falsely(self, name: str) -> None:
        """Change the metadata alone: what the record states of its files is as true or false as before."""

    def _other(self, name: str) -> None:
        path = self._any(name)
        self._put(path, self._text(len(self.content(path))))

    def _longer(self, name: str) -> None:
        path = self._any(name)
        self._put(path, self._text(len(self.content(path)) + self.chance.randint(1, 100)))

    def _restore(self, name: str) -> None:
        path = self._any(name)
        self._put(path, self.files[path].stated)

    def _touch(self, name: str) -> None:
        """Give bytes that stay as they are other validators."""
        self._validate(self._any(name))

    def _hide(self, name: str) -> None:
        """Replace a file whose server goes on saying that it has not changed, where it can say so."""
        path = self._any(name)
        if self.files[path].server in ("none", "both"):
            return self._other(name)
        _, _, file = path.rpartition("/")
        self.provider.items[name].files[file] = self._text(len(self.content(path)))
        self.files[path].hidden_for = max(0, self.files[path].hidden_for)
        return None

    def _restate(self, name: str) -> None:
        """Replace a file with its record, which keeps its datestamp."""
        self._other(name)
        self._state(name)

    def _put(self, path: str, content: bytes) -> None:
        name, _, file = path.rpartition("/")
        self.provider.items[name].files[file] = content
        self._validate(path)

    def _validate(self, path: str) -> None:
        """Give a file other validators; a server that has an ETag too may leave the date as it is."""
        file, provider = self.files[path], self.provider
        file.entity_tag, file.is_new, file.hidden_for = file.entity_tag + 1, True, -1
        if file.server == "date" or self.chance.random() < 0.5:
            file.date = self.round + 1
        tag = f'"{path[-10:]}-{file.entity_tag}"'
        provider.tags[path] = f"W/{tag}" if file.server == "weak" else tag
        if file.server in ("date", "both"):
            provider.dates[path] = formatdate(1_600_000_000 + 1000 * file.date, usegmt=True)
        elif file.server == "none":
            provider.dates[path] = ""
        if file.server == "both":
            provider.has_both.add(path)

    def _state(self, name: str) -> None:
        """Let the record of an object state what its files are."""
        for file, content in self.provider.items[name].files.items():
            self.files[f"{name}/{file}"].stated = content

    def _write(self, names: Iterable[str]) -> None:
        """Write the documents of objects: they state what was stated last."""
        for name in names:
            item = self.provider.items[name]
            served, item.files = item.files, {file: self.files[f"{name}/{file}"].stated for file in item.files}
            item.document = self.provider._didl(name)
            item.files = served

    def _some(self, name: str) -> list[str]:
        return [f"{name}/{file}" for file in self.provider.items[name].files][:1]

    def _any(self, name: str) -> str:
        return f"{name}/{self.chance.choice(list(self.provider.items[name].files))}"

    def _text(self, size: int) -> bytes:
        return bytes(self.chance.choices(_LETTERS, k=size))


class Relay:
    """A way to a server that counts what passes. Use it in a `with` block."""

    def __init__(self, url: str) -> None:
        host, _, rest = url.partition("://")[2].partition("/")
        name, _, port = host.partition(":")
        self._to, self.requests = (name, int(port)), 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/{rest}"
        self._threads = [Thread(target=self._serve)]
        self._open: set[socket.socket] = set()
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for open_socket in (self._listener, *self._open):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._threads.append(Thread(target=self._relay, args=(client,)))
                self._threads[-1].start()

    def _relay(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._to) as server:
            both = {client, server}
            self._open |= both
            back = Thread(target=self._pass, args=(server, client, False))
            back.start()
            self._pass(client, server, True)
            back.join()
            self._open -= both

    def _pass(self, one: socket.socket, other: socket.socket, is_asking: bool) -> None:
        with suppress(OSError):  # one of them was killed
            while part := one.recv(1 << 16):
                self.requests += is_asking
                other.sendall(part)
        with suppress(OSError):
            other.shutdown(socket.SHUT_WR)


@dataclass
class Command:
    """A command that is killed so often, and then run to its end. `requests`: how many it made the last time."""

    name: str
    line: list[str]
    shown_at: str = ""  # where a gateway shows what it has harvested
    requests: int = 4
    kills: int = 0  # in this round
    killed: int = 0  # in all
    killed_at_work: int = 0  # of them, before it had come to its end in the same round


@dataclass
class Killer:
    """Kills commands after a random number of their requests."""

    chance: random.Random
    counters: list[Provider | Relay]
    settings: dict[str, Any]
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = environment(self.settings)

    @property
    def requests(self) -> int:
        return sum(counter.requests for counter in self.counters)

    def run(self, invocation: Command, kills: int) -> subprocess.CompletedProcess[str]:
        """Kill a command exactly so often, and then let it come to its end."""
        invocation.kills = kills
        for _ in range(kills):
            self._kill(invocation)
        before = self.requests
        done = subprocess.run(invocation.line, env=self.environment, check=False, capture_output=True, text=True)
        invocation.requests = self.requests - before
        assert done.returncode in (0, 3), done.stderr
        return done

    def _kill(self, invocation: Command) -> None:
        most = max(1, invocation.requests)
        for number in range(_TRIES):
            if self._hit(invocation, self.chance.randint(1, max(1, most))):
                invocation.killed += 1
                invocation.killed_at_work += number == 0
                return
            most //= 2
        message = f"{invocation.name} ended {_TRIES} times before it could be killed."
        raise AssertionError(message)

    def _hit(self, invocation: Command, requests: int) -> bool:
        """Start a command and kill it after so many requests and a while; tell whether it had not ended."""
        last = self.requests + requests
        while_after = self.chance.choice((0.0, 0.005, 0.05)) * self.chance.random()
        with subprocess.Popen(
            invocation.line, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while process.poll() is None and self.requests < last:
                sleep(0.001)
            sleep(while_after)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
        assert process.returncode in (0, 3, -signal.SIGKILL), (invocation.name, process.returncode)
        return process.returncode == -signal.SIGKILL


def _shared(chance: random.Random, kills: int, rounds: int, names: list[str]) -> Counter[tuple[int, str]]:
    """Return how often each command is killed in each round: as often as the others in all, or once more."""
    return Counter((chance.randrange(rounds), names[number % len(names)]) for number in range(kills))


def proven(
    folder: Path,
    objects: int,
    files: int,
    rounds: int,
    kills: int,
    seed: int,
    say: Callable[[str], None],
    whole_every: int = 5,
    gateways: int = 2,
) -> None:
    """Compare the mirror of a gateway of a gateway with the provider after every round."""
    settings = {**SETTINGS, "recheck_whole_every": whole_every}
    with serving() as provider, ExitStack() as open_servers:
        world = World(provider, seed, is_behind=gateways > 0)
        world.fill(objects, files)
        killer = Killer(world.chance, [provider], settings)
        url, harvests = provider.base_url, list[Command]()
        for number in range(gateways):
            gateway = instance(folder / f"gateway{number}", {"p": (url, ("oai_didl",))})
            relay = open_servers.enter_context(Relay(open_servers.enter_context(served(gateway)).url))
            killer.counters.append(relay)
            url = relay.url
            harvests.append(Command(f"harvest {number}", command("harvester", gateway, "run", "p", "--yes"), url))
        mirror = Mirror(folder / "mirror", provider)
        options = ("--allow", "127.0.0.1")
        mirroring = ("mirror", url, str(mirror.folder), "--yes", *options)
        rechecking = ("mirror", "recheck", str(mirror.folder), "--json", *options)
        mirrors = Command("mirror", command("harvester", folder / "nowhere", *mirroring))
        rechecks = Command("recheck", command("harvester", folder / "nowhere", *rechecking))
        commands = [*harvests, mirrors, rechecks]
        planned = _shared(world.chance, kills, rounds, [invocation.name for invocation in commands])
        for number in range(rounds):
            started, before = monotonic(), _rounds(mirror)
            provider.sent.clear()
            for invocation in commands:
                done = killer.run(invocation, planned[number, invocation.name])
                if invocation.shown_at:
                    _wait_until_shown(invocation.shown_at)
            named = _compared(mirror, world, done)
            _no_more_than_needed(mirror, world, before, mirrors.kills, rechecks.kills, whole_every)
            hidden = sum(file.hidden_for >= 0 for file in world.files.values())
            summary = f"{named} contradict their record, {hidden} are hidden, {len(provider.sent)} sent"
            killed = sum(invocation.killed for invocation in commands)
            say(f"round {number}: {summary}, {killed} kills, {monotonic() - started:.1f} s: 0 stale, 0 needless")
            world.change()
        audit = subprocess.run(
            command("harvester", folder, "mirror", "audit", str(mirror.folder), "--offline", "--json"),
            env=environment(settings),
            capture_output=True,
            check=False,
        )
        assert {json.loads(line)["finding"] for line in audit.stdout.splitlines()} <= {"incomplete"}, audit.stdout
    assert sum(invocation.killed for invocation in commands) == kills
    say(
        "; ".join(
            f"{invocation.name}: {invocation.killed} kills, {invocation.killed_at_work} at its work"
            for invocation in commands
        )
    )
    say(", ".join(f"{name} {count}" for name, count in sorted(world.done.items())))


def _wait_until_shown(url: str) -> None:
    """Wait until a gateway shows what was published up to now: its responseDate says so."""
    now, last = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()), monotonic() + _MOST_HIDDEN
    while (shown := urlopen(f"{url}?verb=Identify").read().decode().partition("<responseDate>")[2][: len(now)]) <= now:
        assert monotonic() < last, f"{url} answers as of {shown} at {now}."
        sleep(0.2)


def _rounds(mirror: Mirror) -> dict[str, int]:
    """Return how often each file was rechecked, by the memory of the mirror."""
    memory = mirror.folder / NAME
    if not memory.exists():
        return {}
    with closing(sqlite3.connect(memory)) as database:
        rows = database.execute("SELECT identifier, path, rounds FROM checked").fetchall()
    return {f"{_name(identifier)}/{path.rpartition('/')[2]}": rounds for identifier, path, rounds in rows}


def _name(identifier: str) -> str:
    return identifier[identifier.index("oai:p:") :] if "oai:p:" in identifier else identifier.rpartition("/")[2]


def _compared(mirror: Mirror, world: World, done: subprocess.CompletedProcess[str]) -> int:
    """Compare each file with the provider; return how many are named because their record contradicts them."""
    receipt = json.loads(done.stdout)
    held = {f"{_name(name)}/{file}": body for name, files in mirror.held().items() for file, body in files.items()}
    assert held.keys() == set(world.living), sorted(held.keys() ^ set(world.living))
    named, contradicting = _named(receipt), set[str]()
    for path in world.living:
        file, content = world.files[path], world.content(path)
        is_seen = file.hidden_for < 0
        if held[path] == content:
            file.hidden_for = -1
        elif is_seen:
            assert world.contradicts(path), f"{path} is stale in silence"
            assert held[path] == file.held, f"{path} is neither what it is now nor what it was"
            contradicting.add(path)
        elif world.contradicts(path) and path in named:
            file.hidden_for = -1
            contradicting.add(path)
        file.held_before, file.held = file.held, held[path]
    assert named == contradicting, (named ^ contradicting, receipt)
    assert done.returncode == (3 if named else 0), receipt
    return len(named)


def _named(receipt: dict[str, list[object]]) -> set[str]:
    """Return the files that a receipt names, as missing or as in doubt."""
    missing = (unquote(str(entry["url"])).partition("/files/")[2] for entry in receipt["missing"])  # type: ignore[index]
    doubts = (str(doubt).partition(": ")[0].partition(", files/") for doubt in receipt["doubts"])
    return {*missing, *(f"{_name(identifier)}/{file}" for identifier, _, file in doubts)}


def _no_more_than_needed(
    mirror: Mirror, world: World, before: dict[str, int], mirror_kills: int, recheck_kills: int, whole_every: int
) -> None:
    """Check how often each file was sent: what has changed once, what has not never, and once more for each kill.

    What is not held because its record contradicted it is sent when the record does so no more. A file without
    validators may be sent to every run and every recheck, and once more to both for each kill. Where records change
    without a new datestamp, it is sent once more when a recheck notices that.
    """
    after, sent = _rounds(mirror), Counter(world.provider.sent)
    kills = mirror_kills + recheck_kills
    for path in world.living:
        file = world.files[path]
        first = before.get(path, 0) if before.get(path, 0) < after[path] else 0
        whole = sum(number % whole_every == 0 for number in range(first + 1, after[path] + 1))
        content = world.content(path)
        most = (1 + kills) * (file.is_new or file.held_before != content == file.held)
        most += (whole + recheck_kills) * (whole > 0)
        if file.server == "none":
            most = 2 * (1 + kills) + (0 if world.is_behind else 1 + recheck_kills)
        description = f"{path} ({file.server}, {file.entity_tag}, {file.date}, round {world.round})"
        assert sent[path] <= most, f"{description} was sent {sent[path]} times, {most} would do"
        if file.hidden_for >= 0:
            file.hidden_for += 1
            assert file.hidden_for < whole_every, f"{description} was not asked for whole"
    assert not sent.keys() - set(world.files)


def main() -> None:
    """Prove it at the size that the command line says, in a folder that is removed afterwards."""
    parser = ArgumentParser(description="Compare a mirror with a provider whose files are replaced in place.")
    sizes = {"objects": 48, "files": 120, "rounds": 17, "kills": 28, "seed": 1, "whole-every": 5, "gateways": 2}
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    given = vars(parser.parse_args())
    with TemporaryDirectory() as folder:
        proven(Path(folder), **given, say=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
