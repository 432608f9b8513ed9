"""The life of a run: lock, run log, outcome, exit status, the same for every stage."""

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import RunOutcome
from gateway.store.waiting import is_locked
from harvester.harvest.run_lifecycle import run_lifecycle
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Silence


@pytest.fixture
def begin(house):
    """Return a function that begins a run of a stage of `fake`."""

    def begin(stop=None, **options):
        return run_lifecycle(house, "fake", "sweep", Silence(), stop or Stop(), **options)

    return begin


def last(house):
    """Return the last run of `fake`, and the texts of its events."""
    run = house.inbox.runs("fake", 1)[0]
    return run, [event.text for event in house.inbox.events(run.number)]


def test_run_of_a_dead_process_is_closed_before_the_next_one_begins(house, begin):
    dead = house.inbox.start_run("fake", 1)
    with begin():
        outcomes = {run.number: run.outcome for run in house.inbox.runs("fake", 2)}
    assert outcomes[dead] is RunOutcome.FAILED


@pytest.mark.parametrize(
    ("error", "outcome"), [(KeyboardInterrupt(), RunOutcome.STOPPED), (ValueError("odd"), RunOutcome.FAILED)]
)
def test_any_other_exception_is_recorded_and_comes_through(house, begin, error, outcome):
    with pytest.raises(type(error)), begin():
        raise error
    assert last(house)[0].outcome is outcome
    assert not is_locked(house.folder, "fake")


def test_lock_is_released_when_the_run_cannot_be_recorded(house, begin, monkeypatch):
    def full(*_):
        raise StoreUnwritable("The disk is full.")

    with pytest.raises(StoreUnwritable), begin():
        monkeypatch.setattr(house.inbox, "end_run", full)
    assert not is_locked(house.folder, "fake")
