"""What is due is done, once; what fails is put off; what another process does is left to it."""

import json
import signal
import sqlite3
import threading
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

from gateway.core.errors import StoreBusy
from harvester.cli import main
from harvester.harvest.instance import opened
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from harvester.runtime.worker_pool import WorkerPool
from harvester.schedule import stages
from harvester.schedule.source_work import SourceWork, WorkResult
from harvester.schedule.stages import Scheduler, Stage, StageResult
from tests.opening import open_inbox
from tests.rows import each_row
from tests.schedule.test_kept_files import Reports


@pytest.fixture
def write_sources(instance):
    """Return a function that writes sources.toml: one source for each name, with these lines."""

    def write(*names, url="http://127.0.0.1:9/oai", every='every = "6h"'):
        tables = [f'[{name}]\nurl = "{url}"\n{every}\n' for name in names]
        (instance / "sources.toml").write_text("\n".join(tables))

    return write


@pytest.fixture
def tend(instance):
    """Return a function that runs `harvester tend`, and returns (exit status, facts, words)."""

    def tend(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(instance), "tend", "--json", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        facts = [json.loads(line) for line in result.stdout.splitlines()]
        # How much of the store is left to be compacted depends on the machine.
        return result.exit_code, [fact for fact in facts if fact["stage"] != "compaction"], result.stderr

    return tend


@pytest.fixture
def scheduler(instance):
    """Return a function that makes a Tending of some stages, which does what is due in this process."""
    with opened(str(instance)) as house:

        def made(*stages, clock=lambda: 1000.0, stop=None):
            stop, listener = stop or Stop(), Reports()
            source_work = SourceWork(house, listener, stop, Pace())
            pool = WorkerPool(4, stop, failed=lambda name, error: (StageResult("", source_work.failed(name, error)),))
            return Scheduler(source_work, pool, stages, clock), listener  # type: ignore[arg-type]

        yield made


def _stage(name, due, *results):
    """Return a stage that is due at a moment, ends in these ways one after the other, and counts what it did."""
    left, done = list(results), []

    def work(_working, entry):
        done.append(entry.name)
        result = left.pop(0) if left else WorkResult(Status.SUCCEEDED)
        if isinstance(result, Exception):
            raise result
        return result

    return Stage(name, lambda _instance, _entry: due, work), done


# --- as its user sees it -----------------------------------------------------------------------------------------


def test_a_source_is_harvested_when_its_time_has_passed(write_sources, tend, repository, instance):
    repository.fill(3)
    write_sources("fake", url=repository.url)
    status, facts, _ = tend()
    assert (status, [(fact["stage"], fact["source"], fact["counts"]["published"]) for fact in facts]) == (
        0,
        [("harvest", "fake", 3)],
    )
    assert tend()[:2] == (0, [])
    _begin_earlier(instance, 7 * 3600)
    assert [fact["stage"] for fact in tend()[1]] == ["harvest"]


def test_a_part_that_was_harvested_by_hand_puts_nothing_off_and_says_nothing_of_the_whole(
    write_sources, tend, command, repository, instance
):
    repository.fill(3)
    write_sources("fake", url=repository.url)
    assert command("run", "fake", "--until", "2001-01-01", "--json")[0] == 0
    (row,) = json.loads(command("status", "--json")[1].join("[]"))
    assert (row["outcome"], row["due"]) == ("succeeded", {"harvest": "now"})
    assert [fact["stage"] for fact in tend()[1]] == ["harvest"]
    assert command("run", "fake", "--from", "2001-01-01", "--json")[0] == 0
    assert [json.loads(line)["stage"] for line in command("log", "fake", "--json")[1].splitlines()] == [
        "part",
        "harvest",
        "part",
    ]


def _begin_earlier(instance, seconds):
    """Let all runs have begun earlier."""
    with closing(sqlite3.connect(instance / "inbox.sqlite")) as connection, connection:
        connection.execute("update run set started_at = started_at - ?, ended_at = ended_at - ?", (seconds, seconds))


def test_what_is_pending_is_published(write_sources, tend, repository, instance, monkeypatch):
    repository.fill(3)
    write_sources("fake", url=repository.url, every="")
    with monkeypatch.context() as patch:
        patch.setattr("harvester.harvest.publishing.publication.Publication.feed", lambda *_: None)
        patch.setattr("harvester.harvest.publishing.publication.Publication.finish", lambda *_: None)
        CliRunner().invoke(main, ["--instance", str(instance), "run", "fake"])
    status, facts, _ = tend()
    assert (status, facts[0]["stage"], facts[0]["counts"]["published"]) == (0, "publication", 3)
    assert tend()[1] == []


def test_a_source_that_another_process_works_on_is_left_to_it(write_sources, tend, instance):
    write_sources("fake")
    with lock(instance, "fake"):
        status, facts, _ = tend()
    assert (status, facts) == (0, [{"stage": "harvest", "source": "fake"}])


@each_row(
    "statuses, status",
    [
        ([], Status.STOPPED),
        ([Status.SUCCEEDED], Status.STOPPED),
        ([Status.REFUSED], Status.REFUSED),
        ([Status.FAILED, Status.SUCCEEDED], Status.STOPPED),
    ],
)
def test_a_stop_hides_no_failure_that_was_not_repaired_since(write_sources, tend, monkeypatch, statuses, status):
    """A stop gave 130, which a unit calls a success, also when a source had failed."""

    class _Watched:
        def __init__(self, source_work, _pool):
            self._stop = source_work.stop

        def watch(self):
            yield from (("fake", StageResult("harvest", WorkResult(status))) for status in statuses)
            self._stop.ask()

    write_sources("fake")
    monkeypatch.setattr("harvester.commands.tend.Scheduler", _Watched)
    assert tend("--watch")[0] == status


@pytest.mark.slow
def test_watching_harvests_again_and_again_until_a_signal(write_sources, harvester, repository, instance):
    repository.fill(3)
    write_sources("fake", url=repository.url, every='every = "1s"')
    process = harvester("tend", "--watch", "--json")
    end = time.monotonic() + 240
    while len(repository.lists()) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    write_sources("fake", url=repository.url, every='every = "at times"')  # told, and outlived
    asked = len(repository.lists())
    while len(repository.lists()) < asked + 2 and time.monotonic() < end:  # the first may have begun before
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 130
    assert len(out.splitlines()) >= 3
    assert err.count("The sources stay as they were") == 1
    inbox = open_inbox(instance)
    assert "running" not in [run.outcome.value for run in inbox.runs("fake", 10)]
    inbox.close()


# --- the stages --------------------------------------------------------------------------------------------------


def test_a_stage_that_fails_is_put_off_and_does_not_stop_the_others(write_sources, scheduler):
    write_sources("fake")
    now = [1000.0]
    bad, failing = _stage("bad", 0.0, ZeroDivisionError("no"), StoreBusy("Busy."))
    good, done = _stage("good", 0.0)
    tended, listener = scheduler(bad, good, clock=lambda: now[0])
    assert [result.done.status for _, result in tended.once()] == [Status.FAILED, Status.SUCCEEDED]
    assert "ZeroDivisionError" in listener.sentences[0]
    now[0] += 899
    list(tended.once())
    assert (len(failing), len(done)) == (1, 2)
    now[0] += 1
    assert [result.done.status for _, result in tended.once()] == [Status.TRY_LATER, Status.SUCCEEDED]
    now[0] += 1799
    list(tended.once())
    assert len(failing) == 2
    now[0] += 1
    assert [result.done.status for _, result in tended.once()] == [Status.SUCCEEDED, Status.SUCCEEDED]
    list(tended.once())
    assert len(failing) == 4


def test_watching_goes_on_with_other_sources_while_one_is_at_work(write_sources, scheduler, instance):
    """And a source that is at work is not begun a second time."""
    write_sources("slow")
    text = (instance / "sources.toml").read_text()
    (instance / "sources.toml").write_text(text + '[quick]\nurl = "http://localhost:9/oai"\n')
    stop, end, done = Stop(), threading.Event(), []

    def work(_, entry):
        done.append(entry.name)
        if entry.name == "slow":
            assert end.wait(240)
        elif done.count("quick") == 3:
            end.set()
            stop.ask()
        return WorkResult(Status.SUCCEEDED)

    tended, _ = scheduler(Stage("s", lambda *_: 0.0, work), stop=stop)
    assert sorted(name for name, _ in tended.watch()) == ["quick", "quick", "quick", "slow"]


def test_watching_outlives_a_store_that_cannot_be_read_for_a_moment(write_sources, scheduler, monkeypatch):
    monkeypatch.setattr(stages, "POLL_SECONDS", 0.01)
    write_sources("fake")
    stop, troubles = Stop(), [StoreBusy("Busy.")]

    def due(*_):
        if troubles:
            raise troubles.pop()
        stop.ask()

    tended, listener = scheduler(Stage("s", due, lambda *_: WorkResult(Status.SUCCEEDED)), stop=stop)
    assert list(tended.watch()) == []
    assert listener.sentences == ["Busy."]
