"""Every ending has one outcome and one exit status."""

from gateway.core import errors
from gateway.core.model import RunOutcome
from gateway.core.statuses import MEANINGS
from harvester.runtime.exit_status import (
    SEVERITY,
    STATUS_BY_OUTCOME,
    Status,
    outcome_of,
    status_of,
    status_of_parts,
    worst,
)
from harvester.runtime.interrupts import StopAsked


def test_every_outcome_has_a_status():
    assert {outcome: int(status_of(outcome)) for outcome in RunOutcome} == {
        RunOutcome.RUNNING: 1,
        RunOutcome.SUCCEEDED: 0,
        RunOutcome.SUCCEEDED_WITH_ERRORS: 3,
        RunOutcome.STOPPED: 130,
        RunOutcome.TRY_LATER: 5,
        RunOutcome.REFUSED: 4,
        RunOutcome.FAILED: 1,
        RunOutcome.MISCONFIGURED: 2,
    }


def test_a_limit_that_was_asked_for_is_no_failure():
    assert status_of_parts([RunOutcome.STOPPED], at_limit=True) is Status.SUCCEEDED
    assert status_of_parts([RunOutcome.STOPPED]) is Status.STOPPED


def test_errors_end_a_run_as_the_table_says():
    assert outcome_of(errors.TryLater("later")) is RunOutcome.TRY_LATER
    assert outcome_of(errors.ConnectionFailed("gone")) is RunOutcome.TRY_LATER
    assert outcome_of(errors.TlsFailed("expired")) is RunOutcome.REFUSED
    assert outcome_of(errors.RemoteRefuses("403")) is RunOutcome.REFUSED
    assert outcome_of(errors.AddressRefused("10.0.0.1")) is RunOutcome.REFUSED
    assert outcome_of(errors.ConfigurationError("no secret")) is RunOutcome.MISCONFIGURED
    assert outcome_of(StopAsked("It was asked to stop.")) is RunOutcome.STOPPED
    assert outcome_of(errors.NotOaiPmh("HTML")) is RunOutcome.FAILED


def test_no_status_that_a_unit_may_call_a_success_hides_one_that_it_may_not():
    for harmless in (status for status, meaning in MEANINGS.items() if meaning.is_harmless):
        for harmful in (status for status, meaning in MEANINGS.items() if not meaning.is_harmless):
            assert worst([harmful, harmless]) is worst([harmless, harmful]) is harmful


def test_every_status_and_every_outcome_has_its_row_in_every_table():
    missing = [status.name for status in Status if status not in SEVERITY]
    assert not missing, f"The order SEVERITY lacks the statuses {missing}."
    assert len(SEVERITY) == len(Status), "The order SEVERITY has a status twice."
    missing = [status.name for status in Status if status not in MEANINGS]
    assert not missing, f"MEANINGS lacks the statuses {missing}."
    missing = [outcome.name for outcome in RunOutcome if outcome not in STATUS_BY_OUTCOME]
    assert not missing, f"STATUS_BY_OUTCOME lacks the outcomes {missing}."


def test_only_what_the_next_run_repairs_by_itself_is_harmless():
    harmless = {status for status, meaning in MEANINGS.items() if meaning.is_harmless}
    assert harmless == {Status.SUCCEEDED, Status.TRY_LATER, Status.LOCKED, Status.STOPPED}
