"""A process that publishes its own items, or tidies up, for ever: run by `test_compaction_kills.py`, ended by a signal.

    python -m tests.store.tidier FOLDER NAME SEED ODDS

It kills itself at one of so many steps. Before a publication, it notes in a file which version it publishes, and
afterwards that it has.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import sleep

from gateway.errors import IntentExpired
from gateway.model import ItemChange, Publication, Record
from gateway.store import sqlite_shrinking
from gateway.store.sqlite import SqliteStore
from tests.contract.tidied import tidy

ITEMS = 300  # of each publisher
COMPACTOR = "compactor"
SETS = (("source:chaos",), ("source:chaos", "source:chaos:a"))


def change(name: str, version: int) -> ItemChange:
    """Return a version of an item; its record says which, and so do its sets."""
    record = Record(
        "oai_dc", str(version).encode(), False, b"<record><header></header>%s %d</record>" % (name.encode(), version)
    )
    return ItemChange(name, f"oai:chaos/{name}", False, SETS[version % 2], (), (record,))


def notes_of(folder: Path, name: str) -> list[tuple[str, int, list[int]]]:
    """Return what a publisher has noted: (`begun` or `done`, version, items)."""
    file = folder / f"{name}.notes"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(word, int(version), [*map(int, items)]) for word, version, *items in map(str.split, lines)]


def work(folder: Path, name: str, seed: int, odds: int) -> None:
    """Publish or compact as long as the test lives."""
    parent, choice = os.getppid(), random.Random(seed)

    def step(_name: str) -> None:
        if not choice.randrange(odds):
            os.kill(os.getpid(), signal.SIGKILL)

    store = SqliteStore(folder / "store.sqlite", intent_seconds=2)
    store._step = store._compaction._step = step
    turns = count(1)
    vars(sqlite_shrinking)["_LEAST_BYTES"] = 0  # so that the file often becomes smaller, and larger again
    version = max([0, *(version for _, version, _ in notes_of(folder, name))])
    while os.getppid() == parent:
        if name == COMPACTOR:
            store.compact()
            tidy(store, next(turns))
            sleep(0.02)
            continue
        version += 1
        items = choice.sample(range(ITEMS), choice.choice((1, 3, 30, 120)))
        with (folder / f"{name}.notes").open("a", buffering=1) as notes:
            notes.write(" ".join(map(str, ("begun", version, *items))) + "\n")
            with suppress(IntentExpired):
                changes = tuple(change(f"{name}-{item}", version) for item in items)
                store.publish(store.intend(), Publication("chaos", changes))
                notes.write(f"done {version}\n")


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
