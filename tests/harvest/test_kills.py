"""A harvest that is interrupted from outside: by one signal, by two, and by another process."""

import json
import signal
from contextlib import contextmanager
from threading import Event

import pytest

from tests.opening import open_inbox
from tests.waiting import wait_until

pytestmark = pytest.mark.slow


def _configured(instance, repository):
    (instance / "config.toml").write_text("publish_processes = 0\nfetch_backoff_seconds = 0.01\n")
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\n')


def test_ctrl_c_once_finishes_the_page_and_the_next_run_goes_on(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository)
    with _at_page(repository, harvester, 5) as (process, release):
        _interrupt(process)
        release.set()
        out, _ = process.communicate(timeout=240)
    assert process.returncode == 130
    facts = json.loads(out)
    assert (facts["outcome"], facts["is_complete"]) == ("stopped", False)
    assert facts["counts"]["received"] == facts["counts"]["published"]
    again = harvester("run", "fake", "--json")
    out, _ = again.communicate(timeout=240)
    assert json.loads(out)["counts"]["received"] == 200 - facts["counts"]["received"]


def test_ctrl_c_twice_stops_at_once(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository)
    with _at_page(repository, harvester, 5) as (process, _):  # the page never comes
        _interrupt(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=240)
    assert process.returncode == 130
    inbox = open_inbox(instance)
    assert inbox.runs("fake", 1)[0].outcome.value == "stopped"
    inbox.close()


def test_a_wait_ends_with_the_first_ctrl_c(instance, repository, harvester):
    repository.fill(20)
    _configured(instance, repository)
    repository.statuses["ListRecords"] = (503, b"", {"Retry-After": "600"})
    process = harvester("run", "fake", "--json")
    _await_words(process, "The next try is in 600 seconds.")  # where the pause has not begun, it ends at its beginning
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 130
    assert json.loads(out)["outcome"] == "stopped"
    assert json.loads(out)["reasons"][0].endswith("the server answers 503. It was asked to stop.")
    assert "It was stopped at once" not in err


def test_a_second_process_is_kept_out(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository)
    with _at_page(repository, harvester, 2) as (first, _):
        second = harvester("run", "fake")
        _, err = second.communicate(timeout=240)
        assert second.returncode == 6
        assert str(first.pid) in err


@contextmanager
def _at_page(repository, harvester, page):
    """Start a harvest; yield it when it waits for this page, and what lets the page come."""
    release = Event()
    repository.before = lambda _: len(repository.lists()) >= page and release.wait(240)
    process = harvester("run", "fake", "--json")
    try:
        wait_until(lambda: len(repository.lists()) >= page or process.poll() is not None)
        assert process.poll() is None
        yield process, release
    finally:
        repository.before = lambda _: None
        release.set()


def _interrupt(process):
    """Send the first signal, and return when the process says that it was heard."""
    process.send_signal(signal.SIGINT)
    _await_words(process, "once more to stop at once")


def _await_words(process, words):
    while words not in process.stderr.readline():
        assert process.poll() is None
