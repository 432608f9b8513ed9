"""kill -9 at random moments of a search: nothing is lost or written twice, only what was in flight is repeated."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from gateway.store.sqlite_discovery import open_discovery
from harvester.search.discovering import LEASE_SECONDS
from tests.discovery import killed

KILLS = int(os.environ.get("TEST_KILLS", "12"))


@pytest.mark.slow
def test_a_search_that_is_killed_again_and_again_comes_to_its_end(folder: Path, tmp_path: Path) -> None:
    chance, kills = random.Random(7), 0
    while kills < KILLS:
        kills += _searched_to_the_end(folder, tmp_path / "asked.log", chance)
        (tmp_path / "asked.log").unlink()
        for file in folder.glob("discovery.sqlite*"):
            file.unlink()


def _searched_to_the_end(folder: Path, log: Path, chance: random.Random) -> int:
    """Kill a search until one comes to its end, prove that it is whole, and return how many were killed."""
    written: list[str] = []
    kills = 0
    while True:
        line = [sys.executable, killed.__file__, str(folder), str(log), str(kills * (LEASE_SECONDS + 60))]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 0.08))
            process.kill()
            written += [each.split()[0] for each in process.stdout.read().splitlines() if each.endswith("False")]
            if process.wait() == 0:
                break
        kills += 1
    desk = open_discovery(folder)
    states = {state for _, state, _, _ in desk.counts()}
    desk.close()
    assert states == {"done"}
    assert Counter(written).most_common(1)[0][1] == 1
    asked = Counter(log.read_text().splitlines())
    assert asked.total() - len(asked) <= kills * killed.THREADS
    return kills
