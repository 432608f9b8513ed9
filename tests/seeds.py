"""The seed of what this run draws at random. Each run draws one, unless `TESTS_SEED` names it.

The processes that share a run, and those that tests start, get it from that variable. pytest prints it at the beginning
of a run and with each failure.
"""

import os
from collections.abc import Iterable
from random import Random, SystemRandom
from typing import TypeVar

SEED = int(os.environ.get("TESTS_SEED") or SystemRandom().randrange(1 << 32))
os.environ["TESTS_SEED"] = str(SEED)
_Case = TypeVar("_Case")


def drawn(cases: Iterable[_Case], one_in: int) -> list[_Case]:
    """Return all cases of a test; where only shares are run (`TEST_SHARES`), one of each `one_in`, by the seed."""
    every = list(cases)
    if not os.environ.get("TEST_SHARES"):
        return every
    chance = Random(f"{SEED} {len(every)}")
    return [chance.choice(every[start : start + one_in]) for start in range(0, len(every), one_in)]
