"""What every backend promises of the clock of the store, whatever the clocks of its machines do."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.ceiling import Ceiling
from gateway.core.errors import ClockAhead
from gateway.store.base import Store
from tests.clocks import START, Clocks
from tests.contract.conftest import Harness

DAY = 86_400


def horizon(store: Store) -> int:
    with store.view() as view:
        return view.horizon


def stamped(store: Store) -> int:
    intent = store.intend()
    store.abandon(intent)
    return intent.datestamp


def test_a_datestamp_is_never_below_what_any_store_has_answered(harness: Harness, opened: Callable[..., Store]) -> None:
    seconds = []
    with closing(opened()) as other:
        for step in (3, -5000, 4000, 7, 2000, 0):
            harness.clocks.wall += step
            seconds += [horizon(other), stamped(harness.store), horizon(harness.store), stamped(other)]
    assert seconds == sorted(seconds)
    assert seconds[-1] >= START + 1010


def test_a_clock_that_jumps_publishes_nothing_and_leaves_the_answers_as_they_are(harness: Harness) -> None:
    harness.clocks.pass_seconds(10)
    assert horizon(harness.store) == START + 10
    harness.clocks.wall += 400 * DAY
    with pytest.raises(ClockAhead, match=r"jumped 400\.0 days ahead without a known reason"):
        harness.store.intend()
    assert "gateway clock --accept" in harness.store.clock_problem()
    assert horizon(harness.store) == START + 10
    harness.clocks.wall -= 400 * DAY
    assert harness.store.clock_problem() == ""
    assert stamped(harness.store) == START + 10


def test_a_clock_that_is_accepted_is_the_clock_of_every_store(harness: Harness, opened: Callable[..., Store]) -> None:
    harness.clocks.wall += 400 * DAY
    harness.store.believe()
    with closing(opened()) as other:
        assert stamped(other) == horizon(harness.store) == START + 400 * DAY


def test_a_week_needs_no_confirmation(harness: Harness) -> None:
    harness.clocks.wall += 6.9 * DAY
    assert stamped(harness.store) == int(START + 6.9 * DAY)


def test_every_clock_is_accepted_where_the_setting_says_so(clocks: Clocks, opened: Callable[..., Store]) -> None:
    clocks.wall += 400 * DAY
    with closing(opened(max_jump_seconds=0)) as store:
        assert stamped(store) == START + 400 * DAY


def test_a_copy_is_raised_above_what_this_machine_answered_without_a_jump(
    tmp_path: Path, clocks: Clocks, opened: Callable[..., Store]
) -> None:
    Ceiling(tmp_path / "store.sqlite").write(START + 5000)
    with closing(opened()) as store:
        assert stamped(store) >= START + 5000
        clocks.wall += 400 * DAY
        assert "jumped" in store.clock_problem()
