"""A full disk and files that may not be written: a sentence says so, nothing is damaged, and all goes on after that."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from gateway.store.sqlite import open_inbox, open_store
from tests import live
from tests.faults.harvest import exposed
from tests.faults.site import Site

pytestmark = pytest.mark.slow

SEED = int(os.environ.get("FAULTS_SEED", "") or random.randrange(1_000_000))
MOMENTS = 8  # at which the disk is full, of each way to publish
_CAPBSET_DROP, _DAC_OVERRIDE = 24, 1  # prctl(2), capabilities(7)


def _small_files(size: int) -> None:
    """Let no file of this process and its children grow beyond a size; CPython ignores SIGXFSZ, so a write fails."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _like_others() -> None:
    """Take from root what lets it write files that are read-only; others have never had it, and this does nothing."""
    ctypes.CDLL(None).prctl(_CAPBSET_DROP, _DAC_OVERRIDE, 0, 0, 0)


def _run(folder: Path, before: Callable[[], None] = lambda: None, **settings: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        live.command("harvester", folder, "run", "x"),
        env=live.unmeasured(live.environment(settings)),  # what measures writes files as well
        preexec_fn=before,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def folder(site: Callable[[], tuple[str, Site]], tmp_path: Path) -> Path:
    """Return an instance with one source that was not harvested yet."""
    _, served = site()
    served.source.page_size = 3
    return live.instance(tmp_path / "instance", {"x": (served.url, ("oai_dc",))})


def _is_told(done: subprocess.CompletedProcess, *words: str) -> None:
    said = done.stdout + done.stderr
    assert "Traceback" not in said, said
    assert "fault of this program" not in said, said
    assert done.returncode == 1, said
    assert any(word in said for word in words), said


def _is_sound(folder: Path) -> None:
    with closing(open_store(folder)) as store, closing(open_inbox(folder)):
        assert store.check() == ()


@pytest.mark.parametrize("publish_processes", [0, 2])
def test_full_disk_is_told_damages_nothing_and_the_next_run_goes_on(
    folder: Path, tmp_path: Path, publish_processes: int
) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(folder, whole)
    assert _run(whole, publish_processes=publish_processes).returncode == 0
    empty = max(file.stat().st_size for file in folder.glob("*.sqlite*"))
    full = max(file.stat().st_size for file in whole.glob("*.sqlite*")) + 400_000
    dice = random.Random(SEED)
    stopped = 0
    for _ in range(MOMENTS):
        room, here = dice.randrange(empty // 2, full), tmp_path / "here"
        shutil.copytree(folder, here)
        done = _run(here, partial(_small_files, room), publish_processes=publish_processes)
        if done.returncode:
            stopped += 1
            _is_told(done, "full", "cannot be written")
        _is_sound(here)
        assert _run(here, publish_processes=publish_processes).returncode == 0, f"seed {SEED}, {room} bytes"
        assert exposed(here) == exposed(whole)
        shutil.rmtree(here)
    assert stopped


@pytest.mark.parametrize("name", ["store.sqlite", "inbox.sqlite", ".", "locks"])
def test_what_may_not_be_written_is_named_and_the_next_run_goes_on(folder: Path, name: str) -> None:
    if name in ("inbox.sqlite", "locks"):
        assert _run(folder).returncode == 0  # they are made by the first run
    place = folder / name
    mode = place.stat().st_mode
    if name == "locks":
        (place / "x").unlink()
    place.chmod(mode & ~0o222)
    done = _run(folder, _like_others)
    place.chmod(mode)
    _is_told(done, "cannot be written", "read-only", "cannot be made")
    assert str(folder) in done.stderr
    _is_sound(folder)
    assert _run(folder).returncode == 0
