"""The life of a run: lock, run log, outcome, exit status, the same for every stage."""

import pytest

from gateway.errors import StoreUnwritable, TryLater
from gateway.model import RunOutcome
from harvester.harvest.instance import opened
from harvester.harvest.run_lifecycle import Conclusion, run_lifecycle
from harvester.runtime.exit_status import SourceLocked, Status
from harvester.runtime.interrupts import Stop, TimeIsOver
from harvester.runtime.locks import is_locked
from harvester.runtime.progress import Silence


@pytest.fixture
def house(instance):
    with opened(str(instance)) as house:
        yield house


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


def test_source_is_locked_and_run_is_running_while_the_stage_works(house, begin):
    with begin() as run:
        assert is_locked(house.folder, "fake")
        assert last(house)[0].outcome is RunOutcome.RUNNING
        with pytest.raises(SourceLocked), begin():
            pass
    assert not is_locked(house.folder, "fake")
    assert run.ran.status is Status.SUCCEEDED
    assert last(house) == (run.ran.run, ["The sweep ended: succeeded (nothing)."])
    assert run.ran.run.is_complete


def test_run_of_a_dead_process_is_closed_before_the_next_one_begins(house, begin):
    dead = house.inbox.start_run("fake", 1)
    with begin():
        outcomes = {run.number: run.outcome for run in house.inbox.runs("fake", 2)}
    assert outcomes[dead] is RunOutcome.FAILED


def test_error_of_ours_becomes_the_outcome_and_does_not_come_through(house, begin):
    with begin() as run:
        run.log.counts["received"] = 3
        raise TryLater("It is overloaded.")
    assert run.ran.status is Status.TRY_LATER
    ended, events = last(house)
    assert (ended.outcome, ended.is_complete, ended.reasons) == (RunOutcome.TRY_LATER, False, ("It is overloaded.",))
    assert events == ["It is overloaded.", "The sweep ended: try later (3 received)."]


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


def test_stop_and_limit_are_told_apart_by_the_exit_status(house, begin):
    with begin(max_records=2) as run:
        assert not run.must_end
        run.log.counts["received"] = 2
        assert run.must_end
    assert (run.ran.run.outcome, run.ran.status) == (RunOutcome.STOPPED, Status.SUCCEEDED)
    assert last(house)[1][0] == "It reached its limit."
    stop = Stop()
    with begin(stop, max_records=2) as run:
        stop.ask()
        assert run.must_end
    assert (run.ran.run.outcome, run.ran.status) == (RunOutcome.STOPPED, Status.STOPPED)
    assert last(house)[1][0] == "It was asked to stop."


def test_time_that_is_over_ends_a_part_and_not_the_run(begin):
    with begin() as run:
        with run.limited():
            raise TimeIsOver("The time is over.")
        run.log.note("It goes on.")
    assert (run.ran.run.outcome, run.ran.status) == (RunOutcome.STOPPED, Status.SUCCEEDED)


def test_conclusion_comes_last_and_may_still_change_the_outcome(house, begin):
    def conclude():
        assert run.outcome is RunOutcome.SUCCEEDED
        run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, "A record waits.")
        return Conclusion(is_complete=True, remark="Nothing is missing.")

    with begin() as run:
        run.conclude = conclude
    assert run.ran.run.is_complete
    assert run.ran.status is Status.WITH_ERRORS
    assert last(house)[1][-1] == "The sweep ended: succeeded with errors (nothing). Nothing is missing."
