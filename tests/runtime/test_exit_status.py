"""Every ending has one outcome and one exit status."""

from gateway import errors
from gateway.model import RunOutcome
from gateway.statuses import MEANINGS
from harvester.runtime.exit_status import (
    SourceLocked,
    Status,
    outcome_of,
    status_of,
    status_of_error,
    status_of_parts,
    worst,
    worst_outcome,
)
from harvester.runtime.interrupts import StopAsked


def test_every_status_is_explained():
    assert set(MEANINGS) == set(Status)


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
    assert worst([Status.FAILED, Status.STOPPED]) is Status.STOPPED


def test_the_worst_part_names_the_whole():
    assert worst_outcome([RunOutcome.SUCCEEDED]) is RunOutcome.SUCCEEDED
    assert worst_outcome([RunOutcome.STOPPED, RunOutcome.TRY_LATER, RunOutcome.SUCCEEDED]) is RunOutcome.TRY_LATER


def test_a_certificate_that_is_wrong_is_no_success_for_a_unit():
    """It was told as 5, which the documented unit calls a success, so nobody heard of it."""
    assert not MEANINGS[status_of_error(errors.TlsFailed("expired"))].is_harmless


def test_only_what_the_next_run_repairs_by_itself_is_harmless():
    harmless = {status for status, meaning in MEANINGS.items() if meaning.is_harmless}
    assert harmless == {Status.SUCCEEDED, Status.TRY_LATER, Status.LOCKED, Status.STOPPED}
