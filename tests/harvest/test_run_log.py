"""What is written down of a run."""

import pytest

from gateway.model import RunOutcome
from gateway.store.opening import open_inbox
from harvester.harvest.run_log import LEFT, REASONS_SHOWN, RunLog, close_dead_runs
from harvester.runtime.progress import Silence


class _Listener(Silence):
    def __init__(self):
        self.texts = []

    def say(self, text):
        self.texts.append(text)


@pytest.fixture
def inbox(tmp_path):
    inbox = open_inbox(tmp_path, create=True)
    yield inbox
    inbox.close()


def test_run_log_is_stored_and_shown(inbox):
    listener = _Listener()
    log = RunLog(inbox, "laro", listener, iter(range(100, 200)).__next__)
    log.note("It began.")
    log.note("A detail.", aloud=False)
    log.add_warnings(["A doubt.", "A doubt."])
    log.fail("It broke.")
    log.counts["received"] = 7
    run = log.end(RunOutcome.FAILED, False)
    assert run == inbox.runs("laro", 1)[0]
    assert (run.started_at, run.reasons, run.counts) == (100, ("A doubt.", "It broke."), {"received": 7})
    assert [(event.level, event.text) for event in inbox.events(run.number)] == [
        ("info", "It began."),
        ("info", "A detail."),
        ("warning", "A doubt."),
        ("error", "It broke."),
    ]
    assert listener.texts == ["laro: It began.", "laro: A doubt.", "laro: It broke."]


def test_too_many_reasons_are_counted(inbox):
    log = RunLog(inbox, "laro", Silence())
    log.add_warnings(f"Doubt {number}." for number in range(REASONS_SHOWN + 5))
    assert log.reasons[-1] == "and 5 more; the log has them."
    assert len(log.reasons) == REASONS_SHOWN + 1


def test_only_runs_that_are_marked_running_are_closed(inbox):
    log = RunLog(inbox, "laro", Silence())
    log.end(RunOutcome.SUCCEEDED, True)
    dead = inbox.start_run("laro", 1)
    other = inbox.start_run("other", 1)
    close_dead_runs(inbox, "laro")
    outcomes = {run.number: run.outcome for run in inbox.runs(None, 10)}
    assert outcomes == {
        log.number: RunOutcome.SUCCEEDED,
        dead: RunOutcome.FAILED,
        other: RunOutcome.RUNNING,
    }


def test_it_is_told_once_in_a_while_how_far_a_run_has_come(inbox):
    moments = iter((100, 100, 101, 102, 103))
    log = RunLog(inbox, "laro", Silence(), lambda: next(moments))
    seen = []
    for received in (10, 20, 30):
        log.counts["received"] = received
        log.record_progress(100 - received if received < 30 else None)
        seen.append(inbox.runs("laro", 1)[0].counts)
    assert seen == [{"received": 10, LEFT: 90}, {"received": 10, LEFT: 90}, {"received": 30}]
    assert log.end(RunOutcome.SUCCEEDED, True).counts == {"received": 30}


def test_of_a_run_that_died_is_known_what_it_had_reported(inbox):
    inbox.store_progress(inbox.start_run("laro", 1), {"received": 10, LEFT: 90})
    close_dead_runs(inbox, "laro")
    assert inbox.runs("laro", 1)[0].counts == {"received": 10}
