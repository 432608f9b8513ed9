"""The seed of what the tests draw at random: `DRAWN`, unless `TESTS_SEED` names another.

A test that passes once passes again, here and in CI. Whoever lands a change of what is drawn from names a new seed here
and runs `.ci/run` with it; the programs of `tests.proofs` and `tests.fuzz` look further. The processes that share a
run, and those that tests start, get the seed from the variable. pytest prints it at the beginning of a run and with
each failure.
"""

import os
from collections.abc import Iterable
from random import Random
from typing import TypeVar

DRAWN = 4203117733
SEED = int(os.environ.get("TESTS_SEED") or DRAWN)
os.environ["TESTS_SEED"] = str(SEED)
_Case = TypeVar("_Case")


def drawn(cases: Iterable[_Case], one_in: int) -> list[_Case]:
    """Return all cases of a test; where only shares are run (`TEST_SHARES`), one of each `one_in`, by the seed."""
    every = list(cases)
    if not os.environ.get("TEST_SHARES"):
        return every
    chance = Random(f"{SEED} {len(every)}")
    return [chance.choice(every[start : start + one_in]) for start in range(0, len(every), one_in)]
