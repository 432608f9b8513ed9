"""The seed of what this run draws at random. Each run draws one, unless `TESTS_SEED` names it.

The processes that share a run, and those that tests start, get it from that variable. pytest prints it at the beginning
of a run and with each failure.
"""

from __future__ import annotations

import os
from random import SystemRandom

SEED = int(os.environ.get("TESTS_SEED") or SystemRandom().randrange(1 << 32))
os.environ["TESTS_SEED"] = str(SEED)
