"""A clock that jumps ahead for no known reason publishes nothing and harms no answer; people may accept it."""

from contextlib import closing

import pytest

from gateway.core.errors import ClockAhead
from gateway.store.clock import HostClock
from gateway.store.opening import open_store
from gateway.store.store import Store
from tests.clocks import START, Clocks

DAY = 86_400


@pytest.fixture
def store(tmp_path, clocks):
    with closing(open_store(tmp_path, create=True, clock=clocks.host())) as store:
        yield store


def horizon(store: Store) -> int:
    with store.view() as view:
        return view.horizon


def test_a_clock_that_jumped_while_the_machine_was_off_publishes_nothing_until_it_is_accepted(store, clocks):
    clocks.boot, clocks.monotonic = "second", 3.0
    clocks.wall += 90 * DAY
    assert horizon(store) == START + 60
    with pytest.raises(ClockAhead):
        store.intend()
    store.believe()
    assert store.intend().datestamp == horizon(store) == START + 90 * DAY


@pytest.mark.parametrize("days", [0.1, 6.9])
def test_a_week_without_power_needs_no_confirmation(store, clocks, days):
    clocks.boot, clocks.monotonic = "second", 3.0
    clocks.wall += days * DAY
    assert store.intend().datestamp == int(START + days * DAY)


def test_nobody_asking_for_months_is_no_jump(store, clocks):
    clocks.pass_seconds(200 * DAY)
    assert store.intend().datestamp == START + 200 * DAY


def shown_false_clocks(clocks: Clocks) -> HostClock:
    """Return the clocks of a process that is shown 400 days more than its host."""
    ahead = 400 * DAY
    return HostClock(
        lambda: clocks.wall + ahead,
        lambda: clocks.monotonic + ahead,
        lambda: clocks.boot,
        uptime=lambda: clocks.monotonic,
    )


def test_a_process_with_clocks_of_its_own_neither_publishes_nor_moves_the_clock_of_the_others(tmp_path, store, clocks):
    clocks.pass_seconds(100)
    with closing(open_store(tmp_path, clock=shown_false_clocks(clocks))) as other:
        assert horizon(other) <= START + 100
        with pytest.raises(ClockAhead, match="clock of this process differs from that of its host by 400"):
            other.intend()
        with pytest.raises(ClockAhead, match="clock of this process differs"):
            other.believe()
    assert store.intend().datestamp == START + 100


@pytest.mark.parametrize("is_false", [False, True])
def test_an_older_copy_is_raised_above_what_was_answered_without_a_jump(tmp_path, clocks, is_false):
    open_store(tmp_path, create=True, clock=clocks.host()).close()
    (tmp_path / "answered-until").write_text("2023-11-15T00:00:00Z\n")
    clocks.pass_seconds(10)
    if is_false:
        open_store(tmp_path, clock=shown_false_clocks(clocks)).close()
    clocks.wall += 400 * DAY
    with closing(open_store(tmp_path, clock=clocks.host())) as store:
        assert horizon(store) == 1_700_006_400
        assert "jumped" in store.clock_problem()
