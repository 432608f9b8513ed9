"""A bit of the file that flips is refused by readers, or named by the check of all; nobody gets other records."""

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import Publication, Selection
from gateway.core.pieces import identity
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.seeds import SEED

FLIPS = int(os.environ.get("FLIPS", "60"))
SETS = (None, "x0", "x1", "x2")


def shown(store: Store) -> list[object]:
    """Return all that readers of a store get. Raise StoreError, or ValueError for a damaged piece.

    A digest is not among it: it says whether a record that comes again has changed, and a wrong one only renews it.
    """
    answers: list[object] = []
    with store.view() as view:
        for spec in SETS:
            for only_headers in (False, True):
                selection = Selection("oai_dc", spec)
                page = view.parts(selection, None, 1000, only_headers=only_headers, is_exact=True)
                answers.append(identity(page.parts))
        records = (view.record(f"oai:laro/{number}-50", "oai_dc") for number in range(4))
        answers += [record and record._replace(digest=b"") for record in records]
    return answers


@pytest.fixture
def compacted(store, path, clocks, make_change) -> bytes:
    """Return the bytes of a store with several blocks, some of them compacted."""
    for number in range(4):
        clocks.pass_seconds(1)
        changes = (make_change(f"{number}-{item}", sets=("source:laro", f"x{item % 3}")) for item in range(120))
        store.publish(store.intend(), Publication("laro", tuple(changes)))
    clocks.pass_seconds(1)
    changes = (make_change(f"1-{item}", 2) for item in range(0, 120, 7))
    store.publish(store.intend(), Publication("laro", tuple(changes)))
    clocks.pass_seconds(60)
    store.compact(is_thorough=True)
    assert store.finish_erasure()
    return path.read_bytes()


def _outcome(path: Path, clocks: Clocks, sound: list[object]) -> tuple[bool, bool]:
    """Return whether readers get what is sound, and whether the check finds nothing; neither if it cannot be opened."""
    try:
        with closing(Store(path, clock=clocks.host())) as store:
            problems = store.check(is_whole=True)
            try:
                is_same = shown(store) == sound
            except (ValueError, StoreError):
                is_same = False
            store.compact(is_thorough=True)
            return is_same, problems == ()
    except StoreError:
        return False, False


@pytest.mark.slow
@pytest.mark.unmeasured
def test_a_flipped_bit_is_never_silent(tmp_path, path, store, compacted, clocks):
    """The first is one of records."""
    sound, choice = shown(store), random.Random(SEED)
    with closing(sqlite3.connect(path)) as connection:
        (records,) = connection.execute("select records from body limit 1").fetchone()
    places = [compacted.index(records[:32]) + 16, *(choice.randrange(len(compacted)) for _ in range(FLIPS - 1))]
    for number, place in enumerate(places):
        bit = 1 << choice.randrange(8)
        flipped = bytearray(compacted)
        flipped[place] ^= bit
        file = tmp_path / str(number) / "store.sqlite"
        file.parent.mkdir()
        file.write_bytes(flipped)
        outcome = _outcome(file, clocks, sound)
        assert outcome != (False, True), f"bit {bit} of byte {place} is silent"
        assert number or outcome == (False, False)
