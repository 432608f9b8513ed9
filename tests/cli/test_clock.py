"""`gateway clock` compares the store's clock with this machine's, `gateway check` warns, and the way back is there."""

import json
import time
from contextlib import closing

import pytest

from gateway.ops.health import findings
from gateway.ops.upkeep import make
from gateway.store import connecting
from gateway.store.clock import HostClock
from gateway.store.opening import open_store

DAY = 86_400


@pytest.fixture
def ahead(folder, monkeypatch):
    """Let the clock of this machine be 400 days ahead, after the store was made."""
    make(folder, {})
    monkeypatch.setattr(connecting, "THIS_HOST", HostClock(lambda: time.time() + 400 * DAY))


def warned(folder) -> list[str]:
    return [finding.sentence for finding in findings(folder) if finding.level != "fine" and "clock" in finding.sentence]


def test_a_sound_clock_is_reported(gateway, folder):
    make(folder, {})
    result = gateway("clock", "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["problem"], facts["store"][:4]) == (0, "", facts["machine"][:4])
    assert gateway("clock").stderr.startswith("The store serves everything up to 2")
    assert warned(folder) == []


def test_a_clock_that_has_jumped_is_a_problem_until_it_is_accepted(gateway, folder, ahead):
    """It was called fine."""
    (problem,) = warned(folder)
    assert "jumped 400.0 days ahead" in problem
    result = gateway("clock")
    assert (result.exit_code, "gateway clock --accept" in result.stderr) == (1, True)
    assert gateway("clock", "--accept").exit_code == 0
    assert gateway("clock").exit_code == 0


def test_a_store_that_was_published_with_dates_of_the_future_is_warned_about(folder):
    make(folder, {})
    with closing(open_store(folder, clock=HostClock(lambda: time.time() + 400 * DAY), max_jump_seconds=0)) as store:
        store.abandon(store.intend())
    (warning,) = warned(folder)
    assert "The store's clock is 400.0 days ahead of the clock of this machine." in warning
