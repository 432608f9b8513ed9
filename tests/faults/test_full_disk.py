"""A full disk and files that may not be written: a sentence says so, nothing is damaged, and all goes on after that."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import live
from tests.faults.harvest import exposed
from tests.faults.launcher import Launcher, launching
from tests.faults.site import Site
from tests.opening import open_inbox, open_store
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

MOMENTS = 2  # at which the disk is full, of each way to publish


def _run_like_others(folder: Path, *command: str) -> tuple[int, str]:
    """Run it in a process of its own: what root may do is taken from a program only when it is started."""
    line = live.command("harvester", folder, *(command or ("run", "x")))
    surroundings = live.unmeasured(os.environ)
    done = subprocess.run(
        line, preexec_fn=live.like_others, env=surroundings, capture_output=True, text=True, check=False, timeout=240
    )
    return done.returncode, done.stdout + done.stderr


@dataclass
class Runs:
    """Runs the source of an instance in surroundings of its own; `output` is where it says everything."""

    launcher: Launcher
    output: Path

    def __call__(self, folder: Path, *surroundings: str) -> tuple[int, str]:
        """Return the exit status and what was said."""
        before = self.output.stat().st_size
        self.launcher.start(*surroundings, "--instance", str(folder), "run", "x")
        return self.launcher.wait(), self.output.read_text()[before:]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    output = tmp_path_factory.mktemp("launcher") / "said"
    # What measures writes files as well.
    with launching(output, live.unmeasured(os.environ)) as launcher:
        yield Runs(launcher, output)


@pytest.fixture
def folder(site: Callable[[], tuple[str, Site]], scratch: Path) -> Path:
    """Return an instance with one source that was not harvested yet."""
    _, served = site()
    served.source.page_size = 3
    return live.instance(scratch / "instance", {"x": (served.url, ("oai_dc",))})


def _assert_message(done: tuple[int, str], *words: str) -> None:
    status, message = done
    assert "Traceback" not in message, message
    assert "fault of this program" not in message, message
    assert status == 1, message
    assert any(word in message for word in words), message


def _is_sound(folder: Path) -> None:
    with closing(open_store(folder)) as store, closing(open_inbox(folder)):
        assert store.check() == ()


@pytest.mark.slow
@pytest.mark.parametrize("publish_processes", [0, 2])
def test_full_disk_is_told_damages_nothing_and_the_next_run_goes_on(
    run: Runs, folder: Path, scratch: Path, publish_processes: int
) -> None:
    whole, published_by = scratch / "whole", f"GATEWAY_PUBLISH_PROCESSES={publish_processes}"
    shutil.copytree(folder, whole)
    assert run(whole, published_by)[0] == 0
    empty = max(file.stat().st_size for file in folder.glob("*.sqlite*"))
    full = max(file.stat().st_size for file in whole.glob("*.sqlite*")) + 400_000
    dice, wanted = random.Random(SEED), exposed(whole)
    stopped = 0
    for _ in range(MOMENTS):
        room, here = dice.randrange(empty // 2, full), scratch / "here"
        shutil.copytree(folder, here)
        status, words = run(here, published_by, f"room={room}")
        if status:
            stopped += 1
            _assert_message((status, words), "full", "cannot be written")
        _is_sound(here)
        assert run(here, published_by)[0] == 0, f"seed {SEED}, {room} bytes"
        assert exposed(here) == wanted
        shutil.rmtree(here)
    assert stopped


@pytest.mark.parametrize("name", ["store.sqlite", "inbox.sqlite", ".", "locks"])
def test_what_may_not_be_written_is_named_and_the_next_run_goes_on(run: Runs, folder: Path, name: str) -> None:
    if name in ("inbox.sqlite", "locks"):
        assert run(folder)[0] == 0  # they are made by the first run
    place = folder / name
    mode = place.stat().st_mode
    if name == "locks":
        (place / "x").unlink()
    place.chmod(mode & ~0o222)
    done = _run_like_others(folder)
    place.chmod(mode)
    _assert_message(done, "cannot be written", "read-only", "cannot be made")
    assert str(folder) in done[1]
    _is_sound(folder)
    assert run(folder)[0] == 0
