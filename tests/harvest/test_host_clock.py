"""Sources say when this machine's clock is wrong; what a wrong clock has left behind puts nothing off."""

import json
import time
from contextlib import closing

import pytest

from gateway.core.model import RunOutcome
from tests.opening import open_inbox

pytestmark = pytest.mark.slow  # it asks servers

DAY = 86_400


@pytest.fixture
def sources(command, repository):
    """Add two sources at two hosts, which are one server."""
    repository.fill(3)
    command("source", "add", "one", repository.url, "--every", "1d")
    command("source", "add", "two", repository.url.replace("127.0.0.1", "localhost"), "--every", "1d")


def _run(command, *names):
    status, out, words = command("run", *names, "--json")
    return status, [json.loads(line) for line in out.splitlines()], words


def test_a_clock_that_sources_agree_with_is_not_spoken_of(command, repository, sources):
    status, runs, words = _run(command, "--all")
    assert (status, [run["reasons"] for run in runs]) == (0, [[], []]), words
    assert [abs(json.loads(line)["clock_ahead"]) < 60 for line in command("status", "--json")[1].splitlines()] == [
        True
    ] * 2


@pytest.mark.parametrize(("ahead", "words"), [(-2 * DAY, "2.0 days ahead of"), (2 * DAY, "2.0 days behind")])
def test_sources_that_agree_say_that_this_clock_is_wrong(command, repository, sources, ahead, words):
    repository.ahead = ahead
    _run(command, "one")
    status, runs, message = _run(command, "two")
    assert (status, runs[0]["outcome"], runs[0]["is_complete"]) == (3, "succeeded_with_errors", True), message
    assert words in runs[0]["reasons"][0]
    assert words in command("status")[2]
    standing = [json.loads(line) for line in command("status", "--json")[1].splitlines()]
    assert [round(row["clock_ahead"] / DAY) for row in standing] == [-ahead / DAY] * 2
    repository.ahead = 0
    _run(command, "one")
    assert _run(command, "two")[0] == 0
    assert words not in command("status")[2]


def test_nothing_is_harvested_with_a_clock_that_is_far_ahead_of_all_sources(command, repository, sources, instance):
    """A new store has nothing else to know it by."""
    repository.ahead = -30 * DAY
    command("run", "one")
    status, runs, _ = _run(command, "two")
    assert (status, runs[0]["outcome"], runs[0]["counts"].get("received", 0)) == (1, "failed", 0)
    assert "30.0 days ahead of" in runs[0]["reasons"][0]


def _tended(command):
    status, out, words = command("tend", "--json")
    done = [json.loads(line) for line in out.splitlines()]
    return status, [(fact["source"], fact["stage"]) for fact in done if fact["stage"] != "compaction"], words


def test_a_last_run_in_the_future_counts_as_due_and_is_reported(command, repository, sources, instance):
    assert _run(command, "--all")[0] == 0
    soon = int(time.time()) + 1800
    with closing(open_inbox(instance)) as inbox:
        inbox.end_run(inbox.start_run("one", soon), soon, RunOutcome.SUCCEEDED, True, {}, ())
    status, done, words = _tended(command)
    assert (status, done) == (0, [("one", "harvest")])
    assert "one: its last harvest is dated" in words
    assert "It counts as due." in words
    status, done, words = _tended(command)
    assert (status, done, "in the future" in words) == (0, [], False)
