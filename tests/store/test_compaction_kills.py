"""Compaction beside publishers in other processes, all of which are killed: nothing is lost, doubled or old.

`test_statement_kills` kills one process before each of its statements.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from gateway.model import Format, Source
from gateway.store.sqlite import SqliteStore
from tests import live
from tests.bench.source import ROOT
from tests.seeds import seed_of
from tests.store import tidier
from tests.store.test_sqlite_compaction import _orphans, blocks, listed

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

SEED = seed_of("COMPACTION_SEED")
PUBLISHERS = ("ada", "bo")
ODDS = 400  # at one of so many steps, a process kills itself
PATIENCE_SECONDS = 1_800.0  # a busy machine is no defect


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an instance with an empty store; tests copy it."""
    folder = tmp_path_factory.mktemp("made") / "instance"
    assert live.called("gateway", folder, "init", "--domain", "chaos.example.org", is_measured=False).returncode == 0
    return folder


@pytest.fixture
def folder(instance: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(instance, tmp_path / "instance"))


def made(folder: Path) -> SqliteStore:
    store = SqliteStore(folder / "store.sqlite")
    store.add_source(Source("chaos", "https://chaos.example.org"))
    store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
    return store


def started(folder: Path, name: str, seed: int) -> subprocess.Popen:
    arguments = [sys.executable, "-m", tidier.__name__, str(folder), name, str(seed), str(ODDS)]
    return subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.PIPE)


def _published(folder: Path) -> int:
    return sum(word == "done" for name in PUBLISHERS for word, _, _ in tidier.notes_of(folder, name))


def verify(store: SqliteStore, folder: Path) -> None:
    """Compare the lists with what the publishers have noted."""
    entries = listed(store, limit=500)
    held = dict(entries)
    assert len(held) == len(entries)
    members = listed(store, "source:chaos:a", limit=500)
    assert set(members) == {(name, version) for name, version in entries if version % 2}
    for name in PUBLISHERS:
        done: dict[str, int] = {}
        begun: dict[str, int] = {}  # of which the publisher may not know whether they are there
        last: dict[str, int] = {}
        for word, version, items in tidier.notes_of(folder, name):
            if word == "done":
                done |= last
            else:
                last = {f"{name}-{item}": version for item in items}
                begun |= last
        for item, version in done.items():
            assert version <= held[item] <= begun[item], item
        assert {item for item in held if item.startswith(name)} <= begun.keys()
    assert store.check() == ()
    assert _orphans(store) == (0, 0)


def check_command(folder: Path, store: SqliteStore) -> None:
    """Check that `gateway check` finds nothing wrong with the store."""
    assert store.settle(), "the check would name the erasure of a killed process, which is not finished"
    done = live.called("gateway", folder, "check", is_measured=False)
    assert (done.returncode, "The store is sound." in done.stderr) == (0, True), done.stderr


def test_kills_at_random_moments_lose_nothing(folder, capsys):
    wanted = int(os.environ.get("COMPACTION_PUBLICATIONS", "30"))
    choice, killed = random.Random(SEED), 0
    names = (*PUBLISHERS, tidier.COMPACTOR, tidier.COMPACTOR)
    running: dict[int, subprocess.Popen] = {}
    with closing(made(folder)) as store:
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while killed < 4 or _published(folder) < wanted:
                assert time.monotonic() < deadline
                for number, name in enumerate(names):
                    process = running.get(number)
                    if process is None:
                        running[number] = started(folder, name, choice.getrandbits(30))
                    elif process.poll() is not None:
                        assert process.returncode == -signal.SIGKILL, process.stderr.read().decode()
                        killed += 1
                        running.pop(number).stderr.close()
                    elif not choice.randrange(250):
                        os.kill(process.pid, signal.SIGKILL)
                time.sleep(0.02)
        finally:
            for process in running.values():
                process.kill()
                process.wait()
                process.stderr.close()
        verify(store, folder)
        check_command(folder, store)
        time.sleep(3)  # intents of the dead expire
        verify(store, folder)
        store.compact(is_thorough=True)
        assert blocks(store, "holes is not null") == 0
        verify(store, folder)
    with capsys.disabled():
        print(f"\n{_published(folder)} publications, {killed} processes killed beside compaction, seed {SEED}")
