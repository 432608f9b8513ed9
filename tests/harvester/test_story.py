"""What is written down of a run."""

import pytest

from gateway.model import RunOutcome
from gateway.store.sqlite import open_inbox
from harvester.progress import Silence
from harvester.story import REASONS_SHOWN, Story, bury


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
