"""This machine's clock is judged by those of the sources, by NTP and by the store's, and there is a way back."""

import json
import time
from contextlib import closing

import pytest

from gateway.core.clock import THIS_HOST, HostClock, Moment
from gateway.core.model import SourceClock
from gateway.ops import health
from gateway.ops.clocks import Judgement, ahead_of, judged
from gateway.ops.health import findings
from gateway.ops.upkeep import make
from gateway.store import connecting
from tests.opening import open_inbox, open_store
from tests.rows import each_row

_NOW = Moment(1_000_000.0, 5000.0, "boot", 10.0)
_TOLERANCE = 300


def _source_clock(
    host: str, ahead: float, *, is_sure: bool = True, since: float = 0.0, boot: str = "boot"
) -> SourceClock:
    """Return what a source said some seconds ago, of which this machine is so far ahead."""
    return SourceClock(host, _NOW.wall - ahead - since, is_sure, _NOW.monotonic - since, boot, _NOW.suspended)


@each_row(
    "clocks, expected",
    [
        ([], Judgement()),
        ([("a", 86_400.0), ("b", 86_410.0)], Judgement(86_405.0, 2, 2)),
        ([("a", -86_400.0), ("b", -86_410.0), ("c", 0.0)], Judgement(-86_405.0, 2, 3)),
        ([("a", 86_400.0), ("b", 2.0)], Judgement()),  # one of the two is wrong, and nobody knows which
        ([("a", 86_400.0), ("a", 86_400.0), ("b", 1.0), ("c", 1.0)], Judgement()),  # one host has one clock
        ([("a", 200.0), ("b", 210.0)], Judgement()),
        ([("a", 7200.0)], Judgement(7200.0, 1, 1)),
        ([("a", 1800.0)], Judgement()),
    ],
)
def test_most_sources_must_say_the_same(clocks, expected):
    assert judged([_source_clock(*clock) for clock in clocks], _NOW, _TOLERANCE) == expected


def test_one_source_alone_must_tell_the_time_in_two_ways():
    """An answer of a cache has the responseDate of the day on which it was made."""
    assert not judged([_source_clock("a", 86_400.0, is_sure=False)], _NOW, _TOLERANCE).is_wrong


def test_one_source_alone_does_not_outweigh_ntp():
    for state, is_wrong in ((True, False), (False, True), (None, True)):
        assert judged([_source_clock("a", 86_400.0)], _NOW, _TOLERANCE, is_kept_by_ntp=state).is_wrong is is_wrong
    two = [_source_clock("a", 86_400.0), _source_clock("b", 86_400.0)]
    assert judged(two, _NOW, _TOLERANCE, is_kept_by_ntp=True).is_wrong


def test_a_clock_that_was_set_meanwhile_is_judged_as_it_is_now():
    source_clock = _source_clock("a", 86_400.0, since=600.0)
    assert ahead_of(source_clock, _NOW) == 86_400.0
    assert ahead_of(source_clock, _NOW._replace(wall=_NOW.wall - 86_400.0)) == 0.0
    assert ahead_of(source_clock, _NOW._replace(wall=_NOW.wall + 50.0, suspended=60.0)) == 86_400.0


@each_row(
    "source_clock",
    [_source_clock("a", 9e4, boot="earlier"), _source_clock("a", 9e4, since=8e5), _source_clock("a", 9e4, since=-9)],
)
def test_what_was_heard_before_the_machine_was_started_or_long_ago_says_nothing(source_clock):
    assert ahead_of(source_clock, _NOW) is None


def _findings(folder):
    return {finding.sentence: finding.level for finding in findings(folder) if "of this machine" in finding.sentence}


def test_check_tells_what_sources_say_of_the_clock(folder):
    make(folder, {})
    moment = THIS_HOST.moment()
    with closing(open_inbox(folder)) as inbox:
        for name in ("a", "b"):
            reading = (moment.wall - 7200, True, moment.monotonic, moment.boot, moment.suspended)
            inbox.keep_source_clock(name, SourceClock(f"{name}.example.org", *reading))
    assert [
        level for finding, level in _findings(folder).items() if "2.0 hours ahead of that of 2 of 2" in finding
    ] == ["warning"]


@each_row(
    "state, level, words",
    [(True, "fine", "is synchronized by NTP"), (False, "warning", "is not synchronized by NTP")],
)
def test_check_tells_whether_ntp_keeps_the_clock(folder, monkeypatch, state, level, words):
    make(folder, {})
    monkeypatch.setattr(health, "is_synchronized", lambda: state)
    assert [severity for finding, severity in _findings(folder).items() if words in finding] == [level]
    monkeypatch.setattr(health, "is_synchronized", lambda: None)
    assert not any("NTP" in finding for finding in _findings(folder))


DAY = 86_400


@pytest.fixture
def ahead(folder, monkeypatch):
    """Let the clock of this machine be 400 days ahead, after the store was made."""
    make(folder, {})
    monkeypatch.setattr(connecting, "THIS_HOST", HostClock(lambda: time.time() + 400 * DAY))


def warned(folder) -> list[str]:
    return [finding.sentence for finding in findings(folder) if finding.level != "fine" and "clock" in finding.sentence]


def test_a_sound_clock_is_reported(gateway, folder):
    make(folder, {})
    result = gateway("clock", "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["problem"], facts["store"][:4]) == (0, "", facts["machine"][:4])
    assert gateway("clock").stderr.startswith("The store serves everything up to 2")
    assert warned(folder) == []


def test_a_clock_that_has_jumped_is_a_problem_until_it_is_accepted(gateway, folder, ahead):
    """It was called fine."""
    (problem,) = warned(folder)
    assert "jumped 400.0 days ahead" in problem
    result = gateway("clock")
    assert (result.exit_code, "gateway clock --accept" in result.stderr) == (1, True)
    assert gateway("clock", "--accept").exit_code == 0
    assert gateway("clock").exit_code == 0


def test_a_store_that_was_published_with_dates_of_the_future_is_warned_about(folder):
    make(folder, {})
    with closing(open_store(folder, clock=HostClock(lambda: time.time() + 400 * DAY), max_jump_seconds=0)) as store:
        store.abandon(store.intend())
    (warning,) = warned(folder)
    assert "The store's clock is 400.0 days ahead of the clock of this machine." in warning
