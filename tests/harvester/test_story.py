"""What is written down of a run."""

import pytest

from gateway.model import RunOutcome
from gateway.store.sqlite import open_inbox
from harvester.progress import Silence
from harvester.story import LEFT, REASONS_SHOWN, Story, bury


class _Listener(Silence):
    def __init__(self):
        self.heard = []

    def say(self, text):
        self.heard.append(text)


@pytest.fixture
def inbox(tmp_path):
    inbox = open_inbox(tmp_path, create=True)
    yield inbox
    inbox.close()


def test_a_story_is_kept_and_told(inbox):
    listener = _Listener()
    story = Story(inbox, "laro", listener, iter(range(100, 200)).__next__)
    story.note("It began.")
    story.note("A detail.", aloud=False)
    story.warn(["A doubt.", "A doubt."])
    story.fail("It broke.")
    story.counts["received"] = 7
    run = story.end(RunOutcome.FAILED, False)
    assert run == inbox.runs("laro", 1)[0]
    assert (run.started_at, run.reasons, run.counts) == (100, ("A doubt.", "It broke."), {"received": 7})
    assert [(each.level, each.text) for each in inbox.events(run.number)] == [
        ("info", "It began."),
        ("info", "A detail."),
        ("warning", "A doubt."),
        ("error", "It broke."),
    ]
    assert listener.heard == ["laro: It began.", "laro: A doubt.", "laro: It broke."]


def test_too_many_reasons_are_counted(inbox):
    story = Story(inbox, "laro", Silence())
    story.warn(f"Doubt {number}." for number in range(REASONS_SHOWN + 5))
    assert story.reasons[-1] == "and 5 more; the log has them."
    assert len(story.reasons) == REASONS_SHOWN + 1


def test_only_runs_that_are_marked_running_are_buried(inbox):
    story = Story(inbox, "laro", Silence())
    story.end(RunOutcome.SUCCEEDED, True)
    dead = inbox.start_run("laro", 1)
    other = inbox.start_run("other", 1)
    bury(inbox, "laro")
    outcomes = {run.number: run.outcome for run in inbox.runs(None, 10)}
    assert outcomes == {
        story.number: RunOutcome.SUCCEEDED,
        dead: RunOutcome.FAILED,
        other: RunOutcome.RUNNING,
    }


def test_it_is_told_once_in_a_while_how_far_a_run_has_come(inbox):
    moments = iter((100, 100, 101, 102, 103))
    story = Story(inbox, "laro", Silence(), lambda: next(moments))
    seen = []
    for received in (10, 20, 30):
        story.counts["received"] = received
        story.tell(100 - received if received < 30 else None)
        seen.append(inbox.runs("laro", 1)[0].counts)
    assert seen == [{"received": 10, LEFT: 90}, {"received": 10, LEFT: 90}, {"received": 30}]
    assert story.end(RunOutcome.SUCCEEDED, True).counts == {"received": 30}


def test_of_a_run_that_died_is_known_what_it_had_told(inbox):
    inbox.tell_run(inbox.start_run("laro", 1), {"received": 10, LEFT: 90})
    bury(inbox, "laro")
    assert inbox.runs("laro", 1)[0].counts == {"received": 10}
