"""A harvest with a clock that has jumped ahead leaves nothing behind that is dated by it."""

import time
from contextlib import closing

import pytest

from gateway.core.clock import HostClock
from gateway.store import connecting
from tests.opening import open_inbox
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
        ("source", "remove", "one", "--yes"),
        ("discover", "one"),
    ],
)
def test_a_harvest_with_a_clock_that_jumped_stops_before_it_begins(command, source, instance, monkeypatch, arguments):
    with closing(open_inbox(instance)) as inbox:
        before = inbox.last_number(), inbox.runs("one", 9)
    with monkeypatch.context() as ahead:
        ahead.setattr(connecting, "THIS_HOST", HostClock(lambda: time.time() + 400 * DAY))
        status, _, err = command(*arguments)
    assert (status, "jumped 400.0 days ahead" in err) == (1, True)
    with closing(open_inbox(instance)) as inbox:
        assert (inbox.last_number(), inbox.runs("one", 9)) == before
    assert command("run", "one")[0] == 0
