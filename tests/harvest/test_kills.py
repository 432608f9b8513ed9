"""Killed at any moment, the next run goes on; in the end the store is what an undisturbed harvest makes."""

from __future__ import annotations

import json
import random
import signal
import time

import pytest

from gateway.model import Selection
from gateway.store.opening import open_inbox, open_store

pytestmark = pytest.mark.slow

KILLS = 20


def _configured(instance, repository, processes=1):
    (instance / "config.toml").write_text(f"publish_processes = {processes}\nfetch_backoff_seconds = 0.01\n")
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\n')


def _published(instance):
    """Return every record without what must differ: when it was harvested and published."""
    store, records = open_store(instance), {}
    with store.view() as view:
        for prefix in ("oai_dc", "oai_didl"):
            for content in view.page(Selection(prefix), None, 1_000_000).records:
                text = content.decode()
                identifier = text.partition("<identifier>")[2].partition("</identifier>")[0]
                record = view.record(identifier, prefix)
                records[prefix, identifier] = (record.digest, record.is_deleted)
    sets = store.counts("fake")
    store.close()
    return records, sets


@pytest.mark.slow
@pytest.mark.unmeasured
def test_kills_at_random_moments_lose_and_repeat_nothing(instance, repository, harvester):
    repository.page_size = 20
    repository.fill(3000)
    repository.fill(100, start=3000, deleted=True)
    _configured(instance, repository)
    _finish(harvester)
    expected, pages = _published(instance), len(repository.lists())

    for file in instance.glob("*.sqlite*"):
        file.unlink()
    open_store(instance, create=True).close()
    repository.asked.clear()
    dice = random.Random(20)
    kills = sum(_is_killed(repository, harvester, dice) for _ in range(KILLS))
    assert kills >= KILLS / 2
    _finish(harvester)
    # Of the list, each run asks for at most the page in flight again; one that finds it whole asks once what is new.
    assert len(repository.lists()) <= pages + KILLS + 1
    assert _published(instance) == expected
    inbox = open_inbox(instance)
    outcomes = [run.outcome.value for run in inbox.runs("fake", 100)]
    inbox.close()
    assert "running" not in outcomes


def _finish(harvester):
    process = harvester("run", "fake", "--json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert json.loads(out)["is_complete"]


def _is_killed(repository, harvester, dice):
    """Kill a harvest some pages from its start, between any two of its steps; tell whether it still was at work."""
    target = len(repository.lists()) + dice.randrange(1, 10)
    process = harvester("run", "fake")
    while process.poll() is None and len(repository.lists()) < target:
        time.sleep(0.001)
    time.sleep(dice.random() / 20)
    was_working = process.poll() is None
    process.kill()
    process.communicate()
    return was_working


def test_ctrl_c_once_finishes_the_page_and_the_next_run_goes_on(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository, 0)
    process = _at_page(repository, harvester, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    facts = json.loads(out)
    assert (facts["outcome"], facts["is_complete"]) == ("stopped", False)
    assert facts["counts"]["received"] == facts["counts"]["published"]
    assert "once more to stop at once" in err
    repository.before = lambda _: None
    again = harvester("run", "fake", "--json")
    out, _ = again.communicate(timeout=120)
    assert json.loads(out)["counts"]["received"] == 200 - facts["counts"]["received"]


def test_ctrl_c_twice_stops_at_once(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository, 0)
    process = _at_page(repository, harvester, 5, delay=200)
    process.send_signal(signal.SIGINT)
    while "once more to stop at once" not in process.stderr.readline():  # two at once would be one
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)  # the page would come much later
    assert process.returncode == 130
    inbox = open_inbox(instance)
    assert inbox.runs("fake", 1)[0].outcome.value == "stopped"
    inbox.close()


def test_a_wait_ends_with_the_first_ctrl_c(instance, repository, harvester):
    repository.fill(20)
    _configured(instance, repository, 0)
    repository.statuses["ListRecords"] = (503, b"", {"Retry-After": "600"})
    process = harvester("run", "fake", "--json")
    while not repository.lists():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.3)  # the pause has begun; where it has not, it ends at its beginning
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert (json.loads(out)["outcome"], json.loads(out)["reasons"]) == ("stopped", ["It was asked to stop."])
    assert "It was stopped at once" not in err


def test_a_second_process_is_kept_out(instance, repository, harvester):
    repository.fill(200)
    _configured(instance, repository, 0)
    first = _at_page(repository, harvester, 2, delay=5)
    second = harvester("run", "fake")
    _, err = second.communicate(timeout=120)
    assert second.returncode == 6
    assert str(first.pid) in err


def _at_page(repository, harvester, page, delay=0.5):
    """Start a harvest, and return it when it waits for this page."""
    repository.before = lambda arguments: (
        time.sleep(delay) if arguments["verb"] == "ListRecords" and len(repository.lists()) >= page else None
    )
    process = harvester("run", "fake", "--json")
    while len(repository.lists()) < page:
        assert process.poll() is None
        time.sleep(0.02)
    return process
