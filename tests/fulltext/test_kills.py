"""kill -9 at random moments of a search and its publication: nothing is lost, what was in flight alone is repeated."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from gateway.core.instance_folder import Instance
from harvester.fulltext.run import LEASE_SECONDS
from tests.fulltext import killed
from tests.opening import open_discovery, open_store
from tests.seeds import SEED

KILLS = int(os.environ.get("TEST_KILLS", "5"))
FOUND = "oai:g.example.org:laro/oai:laro.example.org:LR-15-00007"


@pytest.mark.unmeasured
@pytest.mark.slow
def test_a_search_that_is_killed_again_and_again_comes_to_its_end(folder: Path, tmp_path: Path) -> None:
    """After each search that comes to its end, what it wrote is compared with what it asked for."""
    chance, kills, fresh = random.Random(SEED), 0, tmp_path / "fresh"
    fresh.mkdir()
    for file in (*folder.glob("*.sqlite*"), folder / "config.toml"):
        shutil.copy(file, fresh / file.name)
    while kills < KILLS:
        kills += _searched_to_the_end(folder, tmp_path / "asked.log", chance, KILLS - kills)
        (tmp_path / "asked.log").unlink()
        for file in folder.glob("*.sqlite*"):
            file.unlink()
        Instance(folder).accept_losses()
        for file in fresh.iterdir():
            shutil.copy(file, folder / file.name)


def _searched_to_the_end(folder: Path, log: Path, chance: random.Random, most: int) -> int:
    """Kill a search until one comes to its end, prove that it is whole, and return how many were killed."""
    written: list[str] = []
    kills = 0
    while True:
        line = [sys.executable, killed.__file__, str(folder), str(log), str(kills * (LEASE_SECONDS + 60))]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            if kills < most:
                wanted = _asked(log) + chance.randrange(30)
                while _asked(log) < wanted and process.poll() is None:
                    time.sleep(0.001)
                process.kill()
            written += [
                output_line.split()[0]
                for output_line in process.stdout.read().splitlines()
                if output_line.endswith("False")
            ]
            if process.wait() == 0:
                break
        kills += 1
    _is_searched_once(folder, written, Counter(log.read_text().splitlines()), kills)
    _is_published_once(folder)
    return kills


def _asked(log: Path) -> int:
    return log.read_bytes().count(b"\n")


def _is_searched_once(folder: Path, written: list[str], asked: Counter[str], kills: int) -> None:
    discovery = open_discovery(folder)
    states = {state for _, state, _, _ in discovery.counts()}
    assert not discovery.unpublished("", 1)
    decisions = Counter(decision.url for decision in discovery.decisions(FOUND))
    discovery.close()
    assert states == {"done"}
    assert set(decisions.values()) == {1}
    assert Counter(written).most_common(1)[0][1] == 1
    # Files are not kept among the answers: one that was fetched is fetched again when its search was killed.
    assert asked.total() - len(asked) <= kills * killed.THREADS * 2


def _is_published_once(folder: Path) -> None:
    """Each record was made by the harvest, and made again once at most, though killed at any moment."""
    store = open_store(folder)
    with store.view() as view:
        lines = Counter((change.identifier, change.metadata_prefix) for change in view.changes(0, 10_000))
        didl_record = view.record(FOUND, "oai_didl")
        didls = [view.record(name, prefix).content for name, prefix in lines if prefix == "oai_didl"]
    store.close()
    assert set(lines.values()) == {1, 2}
    assert lines[FOUND, "oai_didl"] == lines[FOUND, "oai_dc"] == 2
    assert b"repository.example.net" in didl_record.content
    twice = sum(count == 2 for (_, prefix), count in lines.items() if prefix == "oai_didl")
    assert sum(b"fetched at" in didl for didl in didls) == twice - 1
