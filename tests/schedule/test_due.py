"""How often is how often, spread over time; and failures put off, never for ever."""

from gateway.core.model import Run, RunOutcome
from harvester.runtime.durations import is_duration, seconds_of
from harvester.schedule.due import (
    FIRST_WAIT_SECONDS,
    SPREAD,
    due_after_announcement,
    due_at,
)
from tests.rows import each_row

DAY = 86_400
GOOD, BAD, STOPPED = RunOutcome.SUCCEEDED, RunOutcome.FAILED, RunOutcome.STOPPED


def _runs(*outcomes, started=1000, ended=1500):
    return [Run(9 - place, "fake", started, ended, outcome) for place, outcome in enumerate(outcomes)]


@each_row("text, seconds", [("90s", 90), ("15m", 900), ("6h", 21_600), ("1d", DAY), ("2w", 14 * DAY)])
def test_a_duration_is_a_number_and_a_unit(text, seconds):
    assert is_duration(text)
    assert seconds_of(text) == seconds


@each_row("text", ["", "6", "h", "0h", "1.5h", "-1h", "6 h", "6H", "6hours", "1234567s", "٣h"])
def test_nothing_else_is_a_duration(text):
    assert not is_duration(text)


def test_after_a_good_run_it_is_due_when_the_time_has_passed_since_it_began():
    hours = 6 * 3600
    for outcome in (GOOD, RunOutcome.SUCCEEDED_WITH_ERRORS):
        assert 1000 + hours <= due_at("fake", "6h", _runs(outcome, BAD)) < 1000 + hours * (1 + SPREAD)


def test_what_was_begun_together_is_spread_and_always_in_the_same_way():
    due = [due_at(f"source-{number}", "1d", _runs(GOOD)) for number in range(100)]
    assert due == [due_at(f"source-{number}", "1d", _runs(GOOD)) for number in range(100)]
    tenth = DAY * SPREAD / 10
    places = {int((moment - 1000 - DAY) / tenth) for moment in due}
    assert places == set(range(10))


def test_failures_in_a_row_double_the_wait_up_to_a_day_or_its_own_time():
    waits = [due_at("fake", "6h", _runs(*[BAD] * number, GOOD)) - 1500 for number in range(1, 12)]
    assert waits[:3] == [FIRST_WAIT_SECONDS, 2 * FIRST_WAIT_SECONDS, 4 * FIRST_WAIT_SECONDS]
    assert waits[-1] == DAY
    assert due_at("fake", "4w", _runs(*[BAD] * 20)) - 1500 == 28 * DAY


def test_a_run_that_was_stopped_or_died_goes_on_soon():
    assert due_at("fake", "4w", _runs(STOPPED, GOOD)) - 1500 == FIRST_WAIT_SECONDS
    assert due_at("fake", "4w", _runs(RunOutcome.RUNNING, ended=None)) - 1000 == FIRST_WAIT_SECONDS


def test_a_source_that_told_of_something_is_due_until_it_is_harvested():
    assert due_after_announcement(0, []) is None
    assert due_after_announcement(2000, []) == 2000
    assert due_after_announcement(2000, _runs(GOOD)) == 2000
    assert due_after_announcement(999, _runs(GOOD)) is None
    assert due_after_announcement(999, _runs(BAD, BAD, GOOD)) == 1500 + 2 * FIRST_WAIT_SECONDS
