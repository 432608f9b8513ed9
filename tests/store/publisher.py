"""A publisher that publishes for ever and is its own worst enemy: run by `household.py`, ended by a signal.

    python publisher.py FOLDER SEED MOST

With a MOST of 0 it publishes nothing, and tidies up without an end. At every step of the promise and of compaction it
may pause, stop itself (SIGSTOP; the test lets it go on later), kill itself, or step the wall clock of the host. That is
the file `host.json` in the folder.
"""

import json
import os
import random
import signal
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from gateway.core.clock import HostClock
from gateway.core.errors import IntentExpired, StoreBusy
from gateway.core.model import ItemChange, Publication, Record
from gateway.store.own_lists import drop, own_lists, today, want
from gateway.store.store import Store

ITEMS = 5_000  # so many that most versions are the last of their item
SET = "source:chaos"
INTENT_SECONDS = 2
MOST = 60  # items of one publication
MOST_STEP_SECONDS = 4_000  # so far off is the wall clock of the host


def set_host(folder: Path, **changes: object) -> None:
    """Change the clocks of the host for every process."""
    host = host_of(folder) | changes
    aside = folder / f"host.{os.getpid()}.json"
    aside.write_text(json.dumps(host))
    aside.rename(folder / "host.json")


def host_of(folder: Path) -> dict:
    """Return by how much the clocks of this host are off, and at most, and the name of its boot."""
    file = folder / "host.json"
    host = {"wall": 0.0, "monotonic": 0.0, "boot": "first", "step": MOST_STEP_SECONDS}
    return json.loads(file.read_text()) if file.exists() else host


def clock_of(folder: Path) -> HostClock:
    """Return the clocks of the host."""
    return HostClock(
        lambda: time.time() + host_of(folder)["wall"],
        lambda: time.monotonic() - host_of(folder)["monotonic"],
        lambda: host_of(folder)["boot"],
    )


def store_in(folder: Path, machine: str = "", **more: Any) -> Store:
    """Return the store of a folder, or the one that a machine with a folder of its own has on the server of `url`."""
    url = (folder / "url").read_text() if (folder / "url").exists() else ""
    home = folder / machine if url else folder
    home.mkdir(exist_ok=True)
    return Store(home / "store.sqlite", url=url, clock=clock_of(folder), **more)


class Fate:
    """What happens at the next step."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)

    def at(self, name: str) -> None:
        draw = self._random.random()
        if draw < 0.020:
            os.kill(os.getpid(), signal.SIGKILL)
        elif draw < 0.026:
            os.kill(os.getpid(), signal.SIGSTOP)
        elif draw < 0.032:
            most = host_of(self._folder)["step"]
            set_host(self._folder, wall=self._random.uniform(-most, most))
        elif name == "datestamp taken" and draw < 0.500:  # it prepares its records; the lock is free
            time.sleep(self._random.uniform(0, 1.5))
        elif draw < 0.300:
            time.sleep(self._random.uniform(0, 0.1))


def change(name: str, version: int) -> ItemChange:
    """Return a version of an item; its record says which."""
    digest = str(version).encode()
    content = b"<record><header></header>%s %d</record>" % (name.encode(), version)
    record = Record("oai_dc", digest, False, content, len(content), sha256(content).digest())
    return ItemChange(name, f"oai:chaos/{name}", False, (SET,), (), (record,))


def work_for_ever(folder: Path, seed: int, most: int) -> None:
    """Publish as long as the test lives, or tidy up."""
    parent = os.getppid()
    fate, choice = Fate(folder, seed), random.Random(-seed)
    store = store_in(folder, intent_seconds=INTENT_SECONDS, step=fate.at)
    while os.getppid() == parent:
        if most:
            publish(store, choice, most)
        else:
            with suppress(StoreBusy):  # its turn comes again
                tidy(store, choice)


def publish(store: Store, choice: random.Random, most: int) -> None:
    """Publish versions of random items, at most so many; now and then compact as `tend` does."""
    names = choice.sample(range(ITEMS), choice.randint(1, most))
    changes = tuple(change(f"item{name}", time.time_ns()) for name in names)
    with suppress(IntentExpired):
        store.publish(store.intend(), Publication("chaos", changes))
    if not choice.randrange(5):  # each publication has compacted for some milliseconds
        store.compact(is_thorough=True)


def tidy(store: Store, choice: random.Random) -> None:
    """Compact, erase as a takedown does, and make or drop the own list of the set."""
    store.compact(is_thorough=bool(choice.randrange(2)))
    if not choice.randrange(4):
        store.erase_superseded()
    with store._file.writing() as session:
        lists = own_lists(session)
        row = session.one("select id from collection where spec = ?", (SET,))
        if lists and not choice.randrange(6):
            drop(session, lists[0])
        elif row is not None:
            want(session, row[0], 1, today())
    time.sleep(choice.uniform(0, 0.05))


if __name__ == "__main__":
    work_for_ever(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
