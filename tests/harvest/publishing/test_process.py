"""The process that publishes beside the harvest: it keeps up, it finishes, it fails aloud, and it outlives nobody."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from gateway.core.children import Child
from gateway.core.model import RunOutcome
from gateway.core.waiting import is_locked
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import opened
from harvester.harvest.publishing.publication import Publisher
from harvester.harvest.session import SourceSession
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import await_publishers

pytestmark = pytest.mark.slow  # it starts processes


@pytest.fixture
def elders():
    """Return the processes that earlier tests left to this one, such as the resource tracker of multiprocessing."""
    return set(_descendants())


def _child(code):
    """Start a child that speaks as `code` says."""
    return Publisher(Child([sys.executable, "-c", code]))


def test_waking_never_waits_for_a_child_that_does_not_read():
    """A full pipe would block here for ever, or raise BlockingIOError."""
    publisher = _child("import time; time.sleep(600)")
    for _ in range(50_000):
        publisher.wake()
    publisher.kill()


def _run(instance, repository, stop=None, **settings):
    lines = {"publish_processes": 1, **settings}
    (instance / "config.toml").write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\nformats = ["oai_dc", "mods"]\n')
    with opened(str(instance)) as house:
        entry = house.sources.entry("fake")
        with fetcher(house.settings, entry, stop or Stop()) as fetch:
            ran = pipeline.run(SourceSession(house, entry, kind_of("oai_pmh"), fetch, stop=stop or Stop()))
        return ran, house.store.counts("fake")


def test_a_longer_harvest_is_published_by_a_child(instance, repository, elders):
    repository.fill(120)
    ran, held = _run(instance, repository)
    assert (ran.run.outcome, ran.run.is_complete) == (RunOutcome.SUCCEEDED, True)
    assert ran.run.counts["received"] == 240
    assert ran.run.counts["published"] == 240
    assert held["items"] == 120
    assert _are_gone_soon(elders)


@pytest.mark.slow
def test_a_child_that_is_killed_fails_the_run_and_the_next_one_publishes(instance, repository, elders):
    repository.fill(300)

    def kill_the_child(_arguments):
        if len(repository.lists()) == 20:
            for process in set(_descendants()) - elders:
                os.kill(process, signal.SIGKILL)

    repository.before = kill_the_child
    ran, _ = _run(instance, repository)
    assert ran.run.outcome is RunOutcome.FAILED
    assert "status -9" in " ".join(ran.run.reasons)
    repository.before = lambda _: None
    ran, held = _run(instance, repository)
    assert ran.run.is_complete
    assert held["items"] == 300


def test_a_child_is_waited_for_from_its_first_moment(instance, repository):
    """One that began after its parent was killed published pages of the next run, which missed them in its counts."""
    repository.fill(1)
    _run(instance, repository)
    publisher = Publisher.start(instance, "fake")
    assert is_locked(instance, "fake.publishing")
    publisher.kill()
    await_publishers(instance, "fake", seconds=240)


@pytest.mark.slow
def test_nothing_survives_a_killed_harvester(instance, repository, harvester):
    repository.fill(1500)
    (instance / "config.toml").write_text("publish_processes = 2\n")
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\n')
    release = Event()
    repository.before = lambda _: len(repository.lists()) >= 100 and release.wait(240)
    process = harvester("run", "fake")
    while len(family := _descendants(process.pid)) < 2 or len(repository.lists()) < 100:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    release.set()
    process.communicate()
    deadline = time.monotonic() + 240
    while any(_lives(pid) for pid in family) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_lives(pid) for pid in family)
    repository.before = lambda _: None
    (instance / "config.toml").write_text("publish_processes = 1\n")
    process = harvester("run", "fake", "--json")
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert json.loads(out)["is_complete"]


def _parents():
    """Return the parent of every process that lives."""
    parents = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit():
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(folder.name)] = int(parent)
    return parents


def _are_gone_soon(elders) -> bool:
    """Tell whether no process is left behind; one of the pool leaves a moment after the child that started it."""
    ends = time.monotonic() + 240
    while set(_descendants()) - elders and time.monotonic() < ends:
        time.sleep(0.05)
    return set(_descendants()) <= elders


def _descendants(ancestor=None):
    parents, family = _parents(), [ancestor or os.getpid()]
    for process in family:
        family += [child for child, parent in parents.items() if parent == process and _is_ours(child)]
    return family[1:]


def _is_ours(process):
    with suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes()
        return b"harvester" in words or b"multiprocessing" in words
    return False


def _lives(process):
    return process in _parents()
