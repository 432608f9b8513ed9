"""A harvest with a clock that has jumped ahead leaves nothing behind that is dated by it."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from gateway.model import RunOutcome
from gateway.store import sqlite
from gateway.store.clock import HostClock
from gateway.store.opening import open_inbox
from tests.rows import each_row

DAY = 86_400


@pytest.fixture
def source(command, tmp_path):
    (tmp_path / "one.jsonl").write_text('{"identifier": "oai:x:1", "metadata": "<r><title>T</title></r>"}\n')
    command("source", "add", "one", str(tmp_path / "one.jsonl"), "--kind", "files", "--every", "1d")


@each_row(
    "arguments",
    [
        ("run", "one"),
        ("run", "one", "--retry-failed"),
        ("source", "sweep", "one"),
        ("source", "remove", "one", "--yes"),
        ("discover", "one"),
    ],
)
def test_a_harvest_with_a_clock_that_jumped_stops_before_it_begins(command, source, instance, monkeypatch, arguments):
    with closing(open_inbox(instance)) as inbox:
        before = inbox.last_number(), inbox.runs("one", 9)
    with monkeypatch.context() as ahead:
        ahead.setattr(sqlite, "THIS_HOST", HostClock(lambda: time.time() + 400 * DAY))
        status, _, err = command(*arguments)
    assert (status, "jumped 400.0 days ahead" in err) == (1, True)
    with closing(open_inbox(instance)) as inbox:
        assert (inbox.last_number(), inbox.runs("one", 9)) == before
    assert command("run", "one")[0] == 0


def test_a_run_that_a_wrong_clock_put_into_the_future_does_not_delay_the_next_harvest(command, source, instance):
    """It was due a day after that."""
    future = int(time.time()) + 400 * DAY
    with closing(open_inbox(instance)) as inbox:
        inbox.end_run(inbox.start_run("one", future), future, RunOutcome.SUCCEEDED, True, {}, ())
    assert "oai:x:1" not in command("records", "one")[1]
    command("tend")
    assert "oai:x:1" in command("records", "one")[1]
