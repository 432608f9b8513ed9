"""Substance alarms: a host that breaks is noticed within a week, chance is not, and nothing is counted twice."""

import json
from collections import Counter
from contextlib import closing
from fractions import Fraction
from math import comb

import pytest
from click.testing import CliRunner

from gateway.core.model import Alarm, Candidate, Outcome, Trace
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.cli import main
from harvester.fulltext.substance import DAY_SECONDS, chance, endings, is_fall, watch
from harvester.harvest.instance import opened
from tests.opening import open_discovery
from tests.rows import each_row

TODAY = 20_800
HOST = "files.example.org"


@pytest.fixture
def discovery(tmp_path):
    with closing(open_discovery(tmp_path)) as opened:
        yield opened


def ended(discovery, day: int, outcome: Outcome, count: int = 1, host: str = HOST) -> None:
    """End so many searches on a day; the copy at the host has the outcome."""
    candidate = Candidate(f"https://{host}/a.pdf", "unpaywall", outcome=outcome)
    ended_so(discovery, day, SearchResult(outcome, (), (candidate,)), count)


def ended_so(discovery, day: int, result: SearchResult, count: int) -> None:
    at = day * DAY_SECONDS
    for number in range(count):
        identifier = f"oai:{HOST}:{day}-{result!r}-{number}"[:2000]
        discovery.enlist("laro", [(identifier, identifier)], 1, at)
        lease = discovery.lease(at, 60, ("laro",), identifier)
        assert discovery.done(lease, result.outcome, search_as_json(result), at, endings=endings("laro", result, at))


def a_good_time(discovery, until: int = TODAY, count: int = 10) -> None:
    for week in range(1, 9):
        ended(discovery, until - 7 * week, Outcome.SUCCESS, count)


@each_row("before, after", [((40, 50), (10, 30)), ((8, 10), (0, 9)), ((100, 300), (5, 42)), ((1, 2), (0, 2))])
def test_chance_is_the_exact_sum_of_fishers_test(before: tuple[int, int], after: tuple[int, int]) -> None:
    successes, attempts, taken = before[0] + after[0], before[1] + after[1], after[1]
    ways = sum(comb(successes, n) * comb(attempts - successes, taken - n) for n in range(after[0] + 1))
    counts = [Counter(success=good, timeout=all_ - good) for good, all_ in (before, after)]
    assert chance(*counts) == pytest.approx(float(Fraction(ways, comb(attempts, taken))), rel=1e-9)


@each_row(
    "before, after, falls",
    [
        ({"success": 10_000}, {"timeout": 29}, False),  # few attempts, however bad they are
        ({"success": 10_000}, {"timeout": 30}, True),
        ({"success": 2_000_000}, {"success": 1_000_000, "timeout": 1_000_000}, True),
        ({"success": 1_000_000, "timeout": 1_000_000}, {"success": 499_900, "timeout": 500_100}, False),
        # What was not attempted does not count.
        ({"success": 100}, {"skip-host": 1000, "no-doi": 1000, "embargoed-until": 1000, "success": 30}, False),
        ({"success": 100}, {"robots-denied": 40}, True),
    ],
)
def test_a_fall_is_one_that_chance_does_not_explain(before, after, falls: bool) -> None:
    assert is_fall(before, after) is falls


def test_old_days_are_added_up_by_month_and_nothing_is_lost(discovery) -> None:
    ended(discovery, TODAY - 100, Outcome.SUCCESS, 2)
    ended(discovery, TODAY - 99, Outcome.SUCCESS, 3)
    ended(discovery, TODAY, Outcome.SUCCESS, 1)
    months = [utc_datetime((TODAY - age) * DAY_SECONDS)[:7] for age in (100, 99, 0)]
    for _ in range(2):
        watch(discovery, TODAY * DAY_SECONDS)
    counts = Counter()
    for ending, count in discovery.endings():
        counts[ending.month] += count
        assert ending.day == (TODAY if ending.month == months[2] else 0)
    assert counts == Counter(months[0:1] * 2 + months[1:2] * 3 + months[2:])


def test_a_host_that_breaks_opens_one_alarm_with_its_evidence(discovery) -> None:
    a_good_time(discovery)
    ended(discovery, TODAY, Outcome.BLOCKED_CAPTCHA, 30)
    for _ in range(3):
        assert watch(discovery, TODAY * DAY_SECONDS) == 1
    (alarm,) = discovery.alarms()
    assert alarm[1:5] == ("laro", "unpaywall", HOST, "copy")
    assert (alarm.before, alarm.after) == ({"success": 80}, {"blocked-captcha": 30})
    assert len(alarm.examples) == 3
    assert all("blocked-captcha" in example for example in alarm.examples)


def test_a_host_that_sends_everybody_to_a_login_elsewhere_opens_an_alarm_and_so_does_a_step(discovery) -> None:
    """The copies end at the host of the login, which never had one. The host that people know is the broken one."""
    a_good_time(discovery)
    login = Candidate(
        f"https://{HOST}/a.pdf", "unpaywall", outcome=Outcome.BLOCKED_WALL, final_url="https://login.example.net/in",
        hops=(f"https://{HOST}/a.pdf", f"https://{HOST}/b.pdf"),
    )  # fmt: skip
    trace = Trace("signposting", Outcome.BLOCKED_WALL, host="login.example.net", way=(HOST,))
    good = Trace("signposting", Outcome.SUCCESS, host=HOST)
    ended_so(discovery, TODAY - 20, SearchResult(Outcome.SUCCESS, (good,)), 40)
    ended_so(discovery, TODAY, SearchResult(Outcome.BLOCKED_WALL, (trace,), (login,)), 40)
    assert watch(discovery, TODAY * DAY_SECONDS) == 2
    assert {(alarm.step, alarm.host, alarm.what) for alarm in discovery.alarms()} == {
        ("unpaywall", HOST, "copy"), ("signposting", HOST, "step"),
    }  # fmt: skip
    assert {len(alarm.examples) for alarm in discovery.alarms()} == {3}
    assert all(sum(alarm.after.values()) == 40 for alarm in discovery.alarms()), "two hops at a host are one attempt"
    counted = {(end.host, end.what): count for end, count in discovery.endings() if end.outcome == "blocked-wall"}
    assert counted["login.example.net", "copy"] == 40


@pytest.mark.slow
def test_a_clock_that_was_set_back_closes_no_alarm_and_opens_it_no_second_time(discovery) -> None:
    """The weeks before the fall look like a recovery, and nobody would hear of the fall, or twice."""
    a_good_time(discovery)
    for week in range(1, 6):
        ended(discovery, TODAY - 7 * week - 1, Outcome.SUCCESS, 40)
    ended(discovery, TODAY, Outcome.TIMEOUT, 30)
    assert watch(discovery, TODAY * DAY_SECONDS) == 1
    assert discovery.acknowledge_alarm(1, TODAY * DAY_SECONDS, "ann", "They know.")
    for days in (7, 20, 400):
        assert watch(discovery, (TODAY - days) * DAY_SECONDS) == 0
    assert watch(discovery, TODAY * DAY_SECONDS) == 0
    (alarm,) = discovery.alarms(with_closed=True)
    assert (alarm.closed_at, alarm.comment) == (0, "They know.")


@pytest.mark.slow
def test_it_is_closed_when_the_share_has_recovered_and_not_when_the_bad_time_lasts(discovery) -> None:
    a_good_time(discovery)
    for day in range(TODAY, TODAY + 100):
        ended(discovery, day, Outcome.TIMEOUT, 5)
        watch(discovery, day * DAY_SECONDS)
    (alarm,) = discovery.alarms()
    assert alarm.is_open
    ended(discovery, TODAY + 107, Outcome.SUCCESS, 29)
    assert watch(discovery, (TODAY + 107) * DAY_SECONDS) == 1  # too few to know
    ended(discovery, TODAY + 108, Outcome.SUCCESS, 1)
    assert watch(discovery, (TODAY + 108) * DAY_SECONDS) == 0
    (closed,) = discovery.alarms(with_closed=True)
    assert closed.closed_at == (TODAY + 108) * DAY_SECONDS
    assert closed.number == alarm.number


def _acknowledge(discovery, day: int) -> None:
    for alarm in discovery.alarms():
        discovery.acknowledge_alarm(alarm.number, day * DAY_SECONDS, "ann", "They know.")


@pytest.mark.slow
def test_one_that_is_acknowledged_opens_again_when_it_gets_worse(discovery) -> None:
    """A person knows that half of the copies fail. That all of them do is news."""
    a_good_time(discovery, count=50)
    for day in range(TODAY, TODAY + 24):
        ended(discovery, day, Outcome.TIMEOUT, 5)
        ended(discovery, day, Outcome.SUCCESS, 5 if day < TODAY + 16 else 0)
        if watch(discovery, day * DAY_SECONDS) and day < TODAY + 16:
            _acknowledge(discovery, day)
    known, worse = discovery.alarms(with_closed=True)
    assert (bool(known.closed_at), known.acknowledged_by) == (True, "ann")
    assert worse.is_open
    assert worse.before["success"] > worse.before["timeout"] * 0.8, "only what was known since"
    assert worse.opened_at > (TODAY + 16) * DAY_SECONDS


@pytest.fixture
def broken(folder, monkeypatch):
    """Return a function that runs `harvester` on an instance with an alarm of now."""
    with closing(open_discovery(folder)) as discovery:
        a_good_time(discovery)
        ended(discovery, TODAY, Outcome.NOT_FOUND, 40)
    monkeypatch.setattr("harvester.commands.outcomes.time", lambda: TODAY * DAY_SECONDS + 5.0)
    return lambda *arguments: CliRunner().invoke(main, ["--instance", str(folder), *arguments])


@pytest.mark.slow
def test_the_command_shows_an_alarm_and_ends_with_3_until_it_is_acknowledged(broken) -> None:
    shown = broken("alarms")
    assert shown.exit_code == 3
    assert f"laro: the step unpaywall at {HOST}: 0 of 40 copies succeeded in a week" in shown.output
    assert shown.output.count("harvester explain oai:") == 3
    assert HOST in broken("status").output
    done = broken("alarms", "laro", "--acknowledge", "1", "--comment", "They moved.", "--json")
    assert done.exit_code == 0
    stated = json.loads(done.output.splitlines()[0])
    assert (stated["is_open"], stated["comment"], stated["before"]) == (False, "They moved.", {"success": 80})
    assert "acknowledged" in broken("alarms").output
    assert HOST not in broken("status").output


@pytest.mark.slow
def test_examples_that_are_taken_down_are_not_shown(folder) -> None:
    with opened(str(folder)) as instance:
        identifier = next(state.identifier for _, state in instance.store.items("laro", 0, 1))
        upstream = identifier.partition("/")[2]
        instance.discovery().enlist("laro", [(identifier, upstream)], 1, 1)
        instance.discovery().open_alarm(Alarm(0, "laro", "core", HOST, "copy", 1, {}, {}, (identifier,)))
    harvester = ["--instance", str(folder)]
    assert identifier in CliRunner().invoke(main, [*harvester, "alarms"]).output
    assert CliRunner().invoke(main, [*harvester, "takedown", "add", identifier]).exit_code == 0
    shown = CliRunner().invoke(main, [*harvester, "alarms"]).output
    assert HOST in shown
    assert identifier not in shown
