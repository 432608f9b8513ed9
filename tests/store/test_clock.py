"""The rules of the store's clock, told without a store."""

import time
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.clock import (
    AHEAD_SECONDS,
    CEILING_SECONDS,
    Anchor,
    HostClock,
    Moment,
    boot_id,
    clock_time,
    first,
    held,
    is_false,
    suspended_seconds,
    unexplained,
    uptime_seconds,
)
from tests.rows import each_row

ANCHOR = Anchor(1000.5, 50.0, "boot", 1060)
DAY = 86_400.0


def test_a_new_anchor_stands_for_the_wall_clock():
    assert first(Moment(1000.5, 50.0, "boot")) == ANCHOR


def anchored(wall: float, monotonic: float, boot: str = "boot", *, ceiling: int = 0) -> Anchor:
    """Return an anchor whose ceiling, if none is given, is as far ahead as it is raised."""
    return Anchor(wall, monotonic, boot, ceiling or int(wall) + CEILING_SECONDS)


@each_row(
    "anchor, moment, reading",
    [
        # The clock runs with the monotonic clock, also if the wall clock is back or a little ahead.
        (ANCHOR, Moment(1010.6, 60.0, "boot"), (1010, ANCHOR, 1010)),
        (ANCHOR, Moment(0.0, 60.0, "boot"), (1010, ANCHOR, 1010)),
        (ANCHOR, Moment(900.0, 60.0, "boot"), (1010, ANCHOR, 1010)),
        (ANCHOR, Moment(1010.5 + AHEAD_SECONDS - 0.1, 60.0, "boot"), (1010, ANCHOR, 1010)),
        # A wall clock that is ahead moves the anchor, and never lowers the ceiling.
        (ANCHOR, Moment(5000.0, 60.0, "boot"), (5000, anchored(5000.0, 60.0), 1010)),
        (
            ANCHOR._replace(ceiling=9000),
            Moment(5000.0, 60.0, "boot"),
            (5000, anchored(5000.0, 60.0, ceiling=9000), 1010),
        ),
        (ANCHOR, Moment(1060.0, 109.6, "boot"), (1060, ANCHOR, 1060)),  # at the ceiling
        # Nothing is told above the ceiling before it is raised.
        (ANCHOR, Moment(1060.0, 110.5, "boot"), (1061, ANCHOR._replace(ceiling=1061 + CEILING_SECONDS), 1060)),
        (ANCHOR, Moment(5000.0, 200.0, "boot"), (5000, anchored(5000.0, 200.0), 1060)),
        # After a reboot, the clock goes on from the ceiling, unless the wall clock is above it.
        (ANCHOR, Moment(900.0, 3.0, "other"), (1060, anchored(1060.0, 3.0, "other"), 1060)),
        (ANCHOR, Moment(900.0, 80.0, "other"), (1060, anchored(1060.0, 80.0, "other"), 1060)),
        (ANCHOR, Moment(900.0, 3.0, "boot"), (1060, anchored(1060.0, 3.0), 1060)),
        (ANCHOR, Moment(2000.0, 3.0, "other"), (2000, anchored(2000.0, 3.0, "other"), 1060)),
    ],
)
def test_the_clock_tells_a_second_an_anchor_and_what_is_safe_if_nothing_can_be_written(anchor, moment, reading):
    assert clock_time(anchor, moment) == reading


def _stated_seconds(anchor, behind, seconds):
    """Let seconds pass, one by one, on a host whose wall clock is so far behind the store's; return what is told."""
    stated = []
    for passed in range(seconds):
        reading = clock_time(anchor, Moment(ANCHOR.wall - behind + passed, ANCHOR.monotonic + passed, "boot"))
        anchor = reading.anchor
        stated.append(reading.second)
    return stated


def test_a_clock_that_is_ahead_slows_until_real_time_has_caught_up_and_never_goes_back():
    seconds = _stated_seconds(ANCHOR, 60, 300)
    assert seconds == sorted(seconds)
    assert seconds[0] == 1000
    real = [1000.5 - 60 + passed for passed in range(300)]
    ahead = [second - wall for second, wall in zip(seconds, real, strict=True)]
    assert ahead[0] > 59
    assert max(ahead[240:]) <= AHEAD_SECONDS
    assert min(ahead) > -1.5  # it does not fall behind either


def test_a_clock_that_is_ahead_goes_at_half_its_speed():
    seconds = _stated_seconds(ANCHOR, 3600, 1201)
    assert seconds[1200] - seconds[0] == pytest.approx(600, abs=CEILING_SECONDS)


def test_a_wall_clock_that_is_behind_by_more_than_a_day_may_be_the_wrong_one_and_slows_nothing():
    seconds = _stated_seconds(ANCHOR, 2 * 86_400, 300)
    assert seconds[299] - seconds[0] == 299


@given(
    st.lists(
        st.tuples(
            st.floats(0, 100),  # what passes
            st.floats(-1e6, 1e6),  # by how much somebody steps the wall clock
            st.sampled_from(["", "", "", "reboot"]),
            st.booleans(),  # whether the store can be written
        ),
        max_size=40,
    )
)
def test_seconds_never_go_back_whatever_happens_to_the_host(events):
    anchor, latest, wall, monotonic, boot = ANCHOR, 0, 1000.5, 50.0, "boot"
    for seconds, step, reboot, writable in events:
        wall, monotonic = wall + seconds + step, monotonic + seconds
        if reboot:
            monotonic, boot = seconds, boot + "'"
        reading = clock_time(anchor, Moment(wall, monotonic, boot))
        if writable:
            anchor = reading.anchor
        second = reading.second if anchor == reading.anchor else reading.safe
        assert latest <= second <= anchor.ceiling
        latest = second


def test_the_hosts_clocks_are_read():
    moment = HostClock().moment()
    assert abs(moment.wall - time.time()) < DAY, "somebody may set the clock of this host"
    assert moment.monotonic <= time.monotonic()
    assert moment.boot == boot_id()


def test_a_boot_without_a_name_has_an_empty_one(tmp_path):
    assert boot_id(tmp_path / "nothing") == ""
    (tmp_path / "boot_id").write_text("0b00\n")
    assert boot_id(tmp_path / "boot_id") == "0b00"


# --- jumps ---------------------------------------------------------------------------------------------------------


@each_row(
    "moment, uptime, ahead",
    [
        (Moment(1010.5, 60.0, "boot"), inf, 0.0),
        (Moment(1010.5 + 400 * DAY, 60.0, "boot"), inf, 400 * DAY),
        (Moment(1000.5 + 90 * DAY, 50.0 + 90 * DAY, "boot"), 50.0 + 90 * DAY, 0.0),  # nobody asked for three months
        (Moment(1010.5 + 90 * DAY, 60.0, "boot", 90 * DAY), inf, 0.0),  # the host slept for three months
        (Moment(1060.0 + 90 * DAY, 3.0, "other"), inf, 90 * DAY),  # the host was off for three months
        (Moment(1010.5 + 400 * DAY, 60.0 + 400 * DAY, "boot"), 60.0, 400 * DAY),  # the process is shown other clocks
        (Moment(1010.5, 60.0, "boot"), 0.0, 0.0),  # both clocks are read one after the other
    ],
)
def test_what_the_host_knows_of_explains_a_jump_and_nothing_else_does(moment, uptime, ahead):
    assert unexplained(ANCHOR, moment, uptime) == ahead


def test_in_a_container_whose_uptime_is_its_own_the_monotonic_clock_counts():
    anchor = Anchor(1000.5, 5000.0, "boot", 1060)
    assert unexplained(anchor, Moment(1100.5, 5100.0, "boot"), 30.0) == 0.0


@each_row(
    "moment, uptime, reading",
    [
        # A jump that is not believed leaves the clock to the monotonic one; after a reboot it stays at the ceiling.
        (Moment(1010.6 + 400 * DAY, 60.0, "boot"), inf, (1010, ANCHOR, 1010)),
        (Moment(1010.6 + 400 * DAY, 3.0, "other"), inf, (1060, ANCHOR, 1060)),
        # A process with false clocks tells nothing that is later than others tell it.
        (Moment(1010.6 + 400 * DAY, 60.0 + 400 * DAY, "boot"), 60.0, (1000, ANCHOR, 1000)),
    ],
)
def test_a_clock_that_is_not_believed_is_held(moment, uptime, reading):
    assert held(ANCHOR, moment, uptime) == reading


def test_what_the_host_says_of_itself_is_read(tmp_path):
    assert suspended_seconds() >= 0.0
    assert uptime_seconds() > 0.0
    assert uptime_seconds(tmp_path / "nothing") == inf
    (tmp_path / "uptime").write_text("")
    assert uptime_seconds(tmp_path / "uptime") == inf


def test_where_the_system_does_not_tell_of_sleep_there_is_none(monkeypatch):
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")
    assert suspended_seconds() == 0.0


def test_a_container_that_shows_its_own_uptime_is_no_false_clock(tmp_path):
    # In a container of LXC that began long after its host, its uptime grows beyond the anchor that was kept first.
    anchor, now = Anchor(1000.0, 700_000.0, "boot", 1060), Moment(701_000.0, 1_400_000.0, "boot")
    assert is_false(anchor, now, 700_100.0)
    (tmp_path / "uptime").symlink_to("/proc/uptime")  # a file of another file system than its folder
    assert uptime_seconds(tmp_path / "uptime") == inf
    assert not is_false(anchor, now, inf)
