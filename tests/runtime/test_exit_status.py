"""Every ending has one outcome and one exit status."""

from gateway import errors
from gateway.model import RunOutcome
from gateway.statuses import MEANINGS
from harvester.runtime.exit_status import (
    SEVERITY,
    STATUS_BY_OUTCOME,
    SourceLocked,
    Status,
    outcome_of,
    status_of,
    status_of_end,
    status_of_error,
    status_of_parts,
    worst,
    worst_outcome,
)
from harvester.runtime.interrupts import StopAsked
from tests.rows import each_row


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


def test_a_limit_hides_no_error():
    outcomes = [RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS, RunOutcome.STOPPED]
    assert status_of_parts(outcomes, at_limit=True) is Status.WITH_ERRORS
    assert status_of_parts(outcomes) is Status.STOPPED


def test_errors_end_a_run_as_the_table_says():
    assert outcome_of(errors.TryLater("later")) is RunOutcome.TRY_LATER
    assert outcome_of(errors.ConnectionFailed("gone")) is RunOutcome.TRY_LATER
    assert outcome_of(errors.TlsFailed("expired")) is RunOutcome.REFUSED
    assert outcome_of(errors.RemoteRefuses("403")) is RunOutcome.REFUSED
    assert outcome_of(errors.AddressRefused("10.0.0.1")) is RunOutcome.REFUSED
    assert outcome_of(errors.ConfigurationError("no secret")) is RunOutcome.MISCONFIGURED
    assert outcome_of(StopAsked("It was asked to stop.")) is RunOutcome.STOPPED
    assert outcome_of(errors.NotOaiPmh("HTML")) is RunOutcome.FAILED


def test_wrong_use_and_locks_have_statuses_of_their_own():
    assert status_of_error(errors.ConfigurationError("no")) is Status.USAGE
    assert status_of_error(SourceLocked("held")) is Status.LOCKED
    assert status_of_error(errors.StoreMissing("none")) is Status.FAILED


def test_the_worst_of_several_statuses_is_reported():
    assert worst([]) is Status.SUCCEEDED
    assert worst([Status.WITH_ERRORS, Status.FAILED, Status.SUCCEEDED]) is Status.FAILED
    assert worst([Status.SUCCEEDED, Status.STOPPED, Status.SUCCEEDED]) is Status.STOPPED


@each_row("status", [Status.WITH_ERRORS, Status.REFUSED, Status.FAILED, Status.USAGE])
def test_a_stop_hides_no_failure_of_another_source(status):
    """A run that was stopped gave 130 for the whole command, which the unit in deploy/systemd calls a success."""
    assert worst([status, Status.STOPPED]) is status
    assert worst([Status.STOPPED, status]) is status


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


def test_the_worst_part_names_the_whole():
    assert worst_outcome([RunOutcome.SUCCEEDED]) is RunOutcome.SUCCEEDED
    assert worst_outcome([RunOutcome.STOPPED, RunOutcome.TRY_LATER, RunOutcome.SUCCEEDED]) is RunOutcome.TRY_LATER


def test_one_run_and_two_runs_with_the_same_failure_have_the_same_status():
    for outcome in (RunOutcome.TRY_LATER, RunOutcome.REFUSED, RunOutcome.FAILED, RunOutcome.MISCONFIGURED):
        assert status_of_parts([RunOutcome.STOPPED, outcome]) is worst([Status.STOPPED, status_of(outcome)])


@each_row(
    "has_findings, is_stopped, status",
    [
        (False, False, Status.SUCCEEDED),
        (True, False, Status.WITH_ERRORS),
        (False, True, Status.STOPPED),
        (True, True, Status.STOPPED),
    ],
)
def test_a_command_without_a_run_ends_as_a_run_does(has_findings, is_stopped, status):
    assert status_of_end(has_findings=has_findings, is_stopped=is_stopped) is status


def test_only_what_the_next_run_repairs_by_itself_is_harmless():
    harmless = {status for status, meaning in MEANINGS.items() if meaning.is_harmless}
    assert harmless == {Status.SUCCEEDED, Status.TRY_LATER, Status.LOCKED, Status.STOPPED}
