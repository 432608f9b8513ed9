"""Every run is recorded once, with the worst outcome of its parts, however it ends."""

from dataclasses import dataclass, field

import pytest

from gateway.errors import TryLater
from gateway.model import RunOutcome
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.run_lifecycle import RunLifecycle


@dataclass(slots=True)
class Recorded(RunLifecycle):
    """A run whose record is a list."""

    record: list[str] = field(default_factory=list)

    def note_failure(self, reason):
        self.record.append(reason)

    def end(self):
        self.record.append(self.outcome.value)


def run(**given):
    return Recorded(stop=Stop(), **given)


def test_run_that_reaches_its_end_has_succeeded():
    work = run()
    with work.recorded():
        assert work.record == []
    assert (work.record, work.status) == (["succeeded"], Status.SUCCEEDED)


def test_worst_outcome_is_recorded_and_decides_the_exit_status():
    work = run()
    with work.recorded():
        work.fail(RunOutcome.FAILED, "A part failed.")
        raise TryLater("The rest is overloaded.")
    assert work.record == ["A part failed.", "The rest is overloaded.", "failed"]
    assert work.status is Status.FAILED


def test_fault_of_this_program_is_recorded_and_raised_again():
    work = run()
    with pytest.raises(ValueError, match="odd"), work.recorded():
        raise ValueError("odd")
    assert work.record == ["A fault of this program: ValueError('odd').", "failed"]


@pytest.mark.parametrize(("is_asked", "status"), [(True, Status.STOPPED), (False, Status.SUCCEEDED)])
def test_stop_is_an_exit_status_of_its_own_and_a_limit_is_none(is_asked, status):
    work = run(is_at_limit=True)
    with work.recorded():
        if is_asked:
            work.stop.ask()
    assert (work.record, work.status) == (["stopped"], status)
