"""The process that publishes beside the harvest: it keeps up, it finishes, it fails aloud, and it outlives nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from gateway.errors import StoreBusy, StoreError
from gateway.model import RunOutcome
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import opened
from harvester.harvest.publishing.process import _Orders
from harvester.harvest.publishing.process_client import END, WAKE, Publisher
from harvester.harvest.run_options import RunOptions
from harvester.runtime.interrupts import Stop

pytestmark = pytest.mark.slow  # it starts processes


@pytest.fixture
def elders():
    """Return the processes that earlier tests left to this one, such as the resource tracker of multiprocessing."""
    return set(_descendants())


def _child(code):
    """Start a child that speaks as `code` says."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, bufsize=0)
    os.set_blocking(process.stdin.fileno(), False)
    return Publisher(process)


def _wait(publisher):
    while publisher.is_working(0.05):
        pass


def test_counts_come_in_and_a_good_end_is_silent():
    publisher = _child('print(\'{"counts": {"received": 1}}\'); print(\'{"counts": {"received": 7}}\'); input()')
    publisher.finish()
    _wait(publisher)
    assert publisher.counts == Counter(received=7)
    publisher.kill()


def test_an_error_of_ours_comes_through_as_what_it_is():
    publisher = _child('print(\'{"error": "It is busy.", "kind": "StoreBusy"}\')')
    with pytest.raises(StoreBusy, match="It is busy"):
        _wait(publisher)
    publisher.kill()


def test_a_child_that_dies_is_reported():
    publisher = _child("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(StoreError, match="status -9"):
        _wait(publisher)
    with pytest.raises(StoreError, match="status -9"):
        publisher.wake()
    publisher.kill()


def test_waking_never_waits_for_a_child_that_does_not_read():
    """A full pipe would block here for ever, or raise BlockingIOError."""
    publisher = _child("import time; time.sleep(600)")
    for _ in range(50_000):
        publisher.wake()
    publisher.kill()


class TestOrders:
    @pytest.fixture
    def pipe(self):
        read, write = os.pipe()
        yield read, write
        for descriptor in (read, write):
            with suppress(OSError):
                os.close(descriptor)

    def test_words_mean_that_there_may_be_more(self, pipe):
        orders = _Orders(pipe[0])
        os.write(pipe[1], WAKE * 3)
        orders.receive()
        assert (orders.want_more, orders.are_last, orders.descriptors) == (True, False, (pipe[0],))

    def test_after_the_end_what_is_there_is_still_wanted(self, pipe):
        orders = _Orders(pipe[0])
        os.write(pipe[1], WAKE + END)
        orders.receive()
        assert (orders.want_more, orders.are_last, orders.descriptors) == (True, True, ())

    def test_no_more_words_is_no_more_work(self, pipe):
        orders = _Orders(pipe[0])
        os.close(pipe[1])
        orders.receive()
        assert (orders.want_more, orders.are_last, orders.descriptors) == (False, True, ())


def _run(instance, repository, stop=None, **settings):
    lines = {"publish_processes": 1, **settings}
    (instance / "config.toml").write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\nformats = ["oai_dc", "mods"]\n')
    with opened(str(instance)) as house:
        entry = house.sources.entry("fake")
        with fetcher(house.settings, entry, stop or Stop()) as fetch:
            ran = pipeline.run(house, entry, kind_of("oai_pmh"), RunOptions(), fetch, stop=stop)
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


@pytest.mark.slow
def test_nothing_survives_a_killed_harvester(instance, repository, harvester):
    repository.fill(5000)
    (instance / "config.toml").write_text("publish_processes = 2\n")
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\n')
    repository.before = lambda _: time.sleep(0.02)
    process = harvester("run", "fake")
    while len(family := _descendants(process.pid)) < 2 or len(repository.lists()) < 100:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
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
