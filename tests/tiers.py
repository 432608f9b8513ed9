"""The tiers of the tests: which tests a run has, in which order processes share them, and which may be skipped.

CONTRIBUTING.md says which test belongs to which tier. `tests/conftest.py` hands these rules to pytest.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

COMMON = "not slow and not reference"  # `make test`, and what `pytest` alone runs; `make test-all` runs everything
MORE = "slow or reference"  # `make test-more`: the rest
LEFT_OUT = (
    "slow tests (long proofs, kills, other programs, browsers), and those that need the reference data. "
    "`make test-all` runs them; it takes 10 to 30 minutes."
)

# Seconds after which the end of a run names a test: some times what CONTRIBUTING.md allows, for busy machines.
_MOST_SECONDS = 5.0

# What `TEST_SHARES` may say: whether all cases of tests that are marked `share` are run, or some of them.
SHARES = ("", "drawn")

# What `TEST_SKIPS` may say: whether a test may be skipped because the machine lacks something.
SKIPS = ("", "forbidden")


def memory_bytes(selection: str) -> int:
    """Return how much memory must be free for a run that writes into memory: ten times what it needs."""
    return 2_000_000_000 if selection.strip() == COMMON else 8_000_000_000


def drawn(items: Sequence[pytest.Item], seed: int) -> list[pytest.Item]:
    """Return the tests without those that are left out where only a share of the cases is run.

    Of a test that is marked `share(one_in=n)`, one of each n cases in the order of the file is drawn. The seed decides
    which: so each value of a parameter is tried, and other seeds try other cases.
    """
    kept, cases = [], Counter[str]()
    for item in items:
        mark = item.get_closest_marker("share")
        if mark is not None:
            one_in, test = mark.kwargs["one_in"], item.nodeid.partition("[")[0]
            block, place = divmod(cases[test], one_in)
            cases[test] += 1
            if Random(f"{seed} {test} {block}").randrange(one_in) != place:
                continue
        kept.append(item)
    return kept


def too_long(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Return a line for each test that took much longer than its tier allows, the longest first."""
    return [
        f"{report.duration:5.1f} s, not marked `slow`: {report.nodeid}"
        for report in sorted(reports, key=lambda report: -report.duration)
        if report.when == "call" and "slow" not in report.keywords and report.duration > _MOST_SECONDS
    ]


def shared_out(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """Return the tests in an order in which each process begins with slow ones and ends with short ones.

    pytest-xdist cuts the list into one piece per process; a process that has finished takes tests from the ends of the
    others. Slow tests of one file stay together, because they share what takes long to make.
    """
    slow, short = dict[Path, list[pytest.Item]](), list[pytest.Item]()
    for item in items:
        (slow.setdefault(item.path, []) if item.get_closest_marker("slow") else short).append(item)
    pieces: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for place, group in enumerate(slow.values()):
        pieces[place % processes] += group
    at = 0
    for place, piece in enumerate(pieces):
        room = max(0, (len(items) * (place + 1)) // processes - (len(items) * place) // processes - len(piece))
        piece.extend(short[at : at + room])
        at += room
    return [*(item for piece in pieces for item in piece), *short[at:]]


def processes_of(workerinput: Mapping[str, int] | None) -> int:
    """Return how many processes share the run that this process belongs to."""
    return workerinput["workercount"] if workerinput else 1
