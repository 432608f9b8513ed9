"""The tiers of the tests: which tests a run has, in which order processes share them, and which may be skipped.

CONTRIBUTING.md says which test belongs to which tier. `tests/conftest.py` hands these rules to pytest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

EVERYDAY = "not slow"  # what `pytest` alone runs; `make test` runs "not long", and `make test-all` runs everything
MORE = "long or reference"  # `make test-more`

# Seconds after which the end of a run names a test: some times what CONTRIBUTING.md allows, for busy machines.
_MOST_SECONDS = {"slow": 2.5, "long": 20.0}

# What `TEST_SHARES` may say: whether all cases of tests that are marked `share` are run, or some of them.
SHARES = ("", "drawn")

# What `TEST_SKIPS` may say, and the reasons for which a test may then be skipped.
SKIPS = {
    "": re.compile(r".*", re.DOTALL),
    "forbidden": re.compile(r"(?!)"),
    "reference-data": re.compile(r"because \.\./shared(?:/\S*)? is missing"),
}


def memory_bytes(selection: str) -> int:
    """Return how much memory must be free for a run that writes into memory: ten times what it needs."""
    return 1_000_000_000 if selection.strip() == EVERYDAY else 8_000_000_000


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


def may_skip(reason: str, allowed: str, *, has_reference_data: bool) -> bool:
    """Return whether a test may be skipped for a reason, where `TEST_SKIPS` says `allowed`.

    A machine that has the reference data may not skip a test because a part of them is missing.
    """
    is_excused = allowed != "reference-data" or not has_reference_data
    return is_excused and SKIPS[allowed].fullmatch(reason) is not None


def too_long(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Return a line for each test that took much longer than its tier allows, the longest first."""
    lines = []
    for report in sorted(reports, key=lambda report: -report.duration):
        wanted = next((mark for mark in _MOST_SECONDS if mark not in report.keywords), None)
        if wanted is not None and report.when == "call" and report.duration > _MOST_SECONDS[wanted]:
            lines.append(f"{report.duration:5.1f} s, not marked `{wanted}`: {report.nodeid}")
    return lines


def shared_out(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """Return the tests in an order in which each process begins with long ones and ends with short ones.

    pytest-xdist cuts the list into one piece per process; a process that has finished takes tests from the ends of the
    others. Longer tests of one file stay together, because they share what takes long to make.
    """
    tiers: tuple[dict[Path, list[pytest.Item]], ...] = ({}, {}, {})
    for item in items:
        tiers[_tier(item)].setdefault(item.path, []).append(item)
    pieces: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for files in tiers[:2]:
        for place, group in enumerate(files.values()):
            pieces[place % processes] += group
    short, at = [item for group in tiers[2].values() for item in group], 0
    for place, piece in enumerate(pieces):
        room = max(0, (len(items) * (place + 1)) // processes - (len(items) * place) // processes - len(piece))
        piece.extend(short[at : at + room])
        at += room
    return [*(item for piece in pieces for item in piece), *short[at:]]


def _tier(item: pytest.Item) -> int:
    return 0 if item.get_closest_marker("long") else 1 if item.get_closest_marker("slow") else 2


def processes_of(workerinput: Mapping[str, int] | None) -> int:
    """Return how many processes share the run that this process belongs to."""
    return workerinput["workercount"] if workerinput else 1
