"""A first harvest in windows: every day is in one of them, each is walked by itself, and nothing falls between."""

import itertools
import json
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from threading import Barrier, Event

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.model import RunOutcome, Selection
from gateway.core.xmltext import parse_utc_datetime
from harvester.cli import main
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import opened
from harvester.harvest.run_lifecycle import RunOptions
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.windows import UNITS, dates_of, halves, planned
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from tests.seeds import SEED

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


NOW = parse_utc_datetime("2024-05-20T12:00:00Z")[0]
DAY = timedelta(days=1)


def _days(window):
    """Return the days of a window as a set; of an open one the last ten years."""
    first, last = dates_of(window)
    end = date.fromisoformat(last)
    begin = date.fromisoformat(first) if first else end - 3650 * DAY
    return {begin + number * DAY for number in range((end - begin).days + 1)}


# --- the plan ----------------------------------------------------------------------------------------------------


def test_windows_are_whole_units_up_to_the_one_before_yesterday():
    windows = planned("month", date(2024, 2, 10), None, NOW, is_open=False)
    assert windows == ("2024-02-10/2024-02-29", "2024-03-01/2024-03-31", "2024-04-01/2024-04-30")
    assert planned("year", date(2021, 12, 31), None, NOW, is_open=False) == (
        "2021-12-31/2021-12-31",
        "2022-01-01/2022-12-31",
        "2023-01-01/2023-12-31",
    )
    assert planned("day", date(2024, 5, 17), None, NOW, is_open=False) == (
        "2024-05-17/2024-05-17",
        "2024-05-18/2024-05-18",
    )


def test_what_a_source_calls_its_earliest_is_not_believed():
    assert planned("year", date(2022, 6, 1), None, NOW, is_open=True) == ("/2022-12-31", "2023-01-01/2023-12-31")
    assert planned("year", date(1, 1, 1), None, NOW, is_open=True)[:2] == ("/1995-12-31", "1996-01-01/1996-12-31")
    assert planned("year", None, None, NOW, is_open=True)[0] == "/1995-12-31"
    assert planned("year", date(2035, 1, 1), None, NOW, is_open=True) == ("/2023-12-31",)


def test_what_is_dated_before_there_were_repositories_is_one_window():
    windows = planned("month", date(1900, 1, 1), None, NOW, is_open=False)
    assert windows[:2] == ("1900-01-01/1995-01-31", "1995-02-01/1995-02-28")


def test_nothing_behind_what_is_wanted_is_planned():
    assert planned("year", date(2022, 1, 1), date(2022, 6, 1), NOW, is_open=False) == ("2022-01-01/2022-06-01",)
    assert planned("year", date(2024, 3, 1), None, NOW, is_open=False) == ()


@given(
    st.sampled_from(UNITS),
    st.dates(date(2019, 1, 1), date(2023, 1, 1)),
    st.dates(date(2024, 1, 3), date(2026, 1, 1)),
    st.booleans(),
)
def test_every_day_is_in_one_window(unit, earliest, today, is_open):
    now = datetime(today.year, today.month, today.day, tzinfo=UTC).timestamp()
    windows = planned(unit, earliest, None, now, is_open=is_open)
    days = [_days(window) for window in windows]
    assert not any(first & second for first, second in itertools.pairwise(days))
    together = set().union(*days)
    last = date.fromisoformat(dates_of(windows[-1])[1])
    assert {earliest + number * DAY for number in range((last - earliest).days + 1)} <= together
    assert today - last >= 2 * DAY or unit == "day"
    assert today - last >= DAY


@given(st.dates(date(2019, 1, 1), date(2023, 1, 1)), st.integers(0, 800))
def test_halves_are_the_whole(begin, length):
    window = f"{begin}/{begin + length * DAY}"
    parts = halves(window)
    assert len(parts) == (2 if length else 0)
    if parts:
        first, second = map(_days, parts)
        assert first.isdisjoint(second)
        assert first | second == _days(window)


def test_of_an_open_window_the_last_year_is_cut_off():
    assert halves("/2020-12-31") == ("/2020-01-01", "2020-01-02/2020-12-31")
    assert halves("/1994-12-31") == ()


# --- the walk ----------------------------------------------------------------------------------------------------


@pytest.fixture
def run(house, repository):
    """Return a function that runs the source `fake` in windows of a month, or as it is told."""

    def run(stop=None, unit="month", run_options=None, **fields):
        house.sources.file.write_text(f'[fake]\nurl = "{repository.url}"\n')
        entry = SourceEntry("fake", repository.url, slice=unit, **fields)
        another = partial(fetcher, house.settings, entry, stop or Stop())
        with another() as fetch:
            session = SourceSession(house, entry, kind_of("oai_pmh"), fetch, run_options or RunOptions())
            return pipeline.run(replace(session, stop=stop or Stop(), fetcher=another))

    return run


# The first of them lies before what the source says is its earliest datestamp. Its clock stands in the last.
MONTHS = [date(2024, month, 1) for month in range(1, 10)]
NEWEST = "2024-09-15T12:00:00Z"
HALF = MONTHS[4]  # a month in the middle, and a day in it
BROKEN = HALF.replace(day=20)


@pytest.fixture
def spread(repository):
    """Fill the repository with three records a month."""
    for number, month in enumerate(MONTHS):
        repository.fill(3, start=3 * number, datestamp=f"{month}T10:00:00Z")
    repository.earliest = f"{MONTHS[1]}T00:00:00Z"
    repository.now = NEWEST
    return repository


def _published(house):
    with house.store.view() as view:
        return view.count(Selection("oai_dc"))


def _windows(house):
    return [(window.window, window.outcome.value) for window in house.inbox.windows("fake")]


def _spans(repository):
    return [
        (request.get("from", ""), request.get("until", ""))
        for request in repository.lists()
        if "resumptionToken" not in request
    ]


def test_a_first_harvest_goes_window_by_window_and_is_proven(run, spread, house):
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.reasons) == (Status.SUCCEEDED, True, ())
    assert _published(house) == len(spread.items)
    assert {outcome for _, outcome in _windows(house)} == {"done"}
    *spans, whole = _spans(spread)
    assert whole[0] == ""  # how many there are in all
    assert spans[0] == ("", f"{MONTHS[2] - DAY}T23:59:59Z")
    assert spans[1] == (f"{MONTHS[2]}T00:00:00Z", f"{MONTHS[3] - DAY}T23:59:59Z")
    assert spans[-1][1] == ""
    assert spans[-1][0] > spans[-2][1]
    assert ran.run.counts["windows_done"] == len(spans) - 1


def test_the_next_harvest_is_an_incremental_one(run, spread, house):
    run()
    spread.asked.clear()
    ran = run(overlap_seconds=0)
    assert ran.run.is_complete
    ((first, until),) = _spans(spread)
    assert (first, until) == (NEWEST, "")


def test_a_run_that_stops_in_a_window_goes_on_there(run, spread, house):
    spread.page_size = 2
    stop = Stop()
    spread.before = lambda _: stop.ask() if len(spread.lists()) == 10 else None
    ran = run(stop=stop)
    assert (ran.status, ran.run.is_complete) == (Status.STOPPED, False)
    assert [outcome for _, outcome in _windows(house)].count("done") == 4
    spread.before, count = lambda _: None, len(spread.lists())
    ran = run(unit="")  # the plan is kept, whatever is said now
    assert ran.run.is_complete
    assert "resumptionToken" in spread.lists()[count]
    assert _published(house) == len(spread.items)
    spans = _spans(spread)
    assert len(spans) == len(set(spans))  # nothing was asked for twice


def test_a_window_that_is_always_refused_does_not_keep_the_others_from_coming(run, spread, house):
    _break(spread, f"{MONTHS[2]}T00:00:00Z", f"{MONTHS[3] - DAY}T23:59:59Z", (403, b"", {}))
    ran = run()
    assert (ran.run.outcome, ran.run.is_complete) == (RunOutcome.REFUSED, False)
    assert str(MONTHS[2]) in ran.run.reasons[0]
    assert [outcome for _, outcome in _windows(house)].count("failed") == 1
    assert _published(house) == len(spread.items) - 3
    spread.before = lambda _: None
    spread.statuses.clear()
    assert run().run.is_complete
    assert _published(house) == len(spread.items)


def test_windows_end_where_the_clock_of_the_source_is_behind_ours(run, spread, house):
    """What it changes until its clock has come to ours is dated in windows that would be done by then."""
    spread.now = f"{MONTHS[5]}T12:00:00Z"
    spread.items = {name: item for name, item in spread.items.items() if item.datestamp < spread.now}
    assert run().run.is_complete
    spread.now = f"{MONTHS[6]}T12:00:00Z"
    spread.fill(1, start=900, datestamp=f"{MONTHS[6]}T11:00:00Z")
    assert run().run.is_complete
    assert _published(house) == len(spread.items)


def _break(repository, first, last, answer=(200, b"<html/>", {})):
    """Let every list that has any of these seconds bring nothing but this answer."""

    def before(arguments):
        holds = arguments.get("from", "") <= last and first <= arguments.get("until", "")
        repository.statuses.clear()
        if arguments["verb"].startswith("List") and holds:
            repository.statuses[arguments["verb"]] = answer

    repository.before = before


def test_a_window_that_is_not_shown_to_be_whole_has_failed(run, spread, house):
    spread.page_size = 2
    spread.before = lambda arguments: setattr(
        spread, "announces", int(str(HALF) in arguments.get("from", arguments.get("resumptionToken", "")))
    )
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert [window for window, outcome in _windows(house) if outcome == "failed"] == [f"{HALF}/{MONTHS[5] - DAY}"]


def test_a_source_that_does_not_keep_to_dates_is_harvested_as_a_whole(run, spread, house):
    whole = spread._listrecords
    spread._listrecords = lambda arguments: whole({**arguments, "from": "", "until": ""})
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert _published(house) == len(spread.items)
    assert _windows(house) == []
    assert [until != "" for _, until in _spans(spread)] == [True, False]


def _refuse_dates(repository, is_refused):
    """Let the repository refuse the dates of each list for which `is_refused` says so."""
    whole, wrong = repository._listrecords, '<error code="badArgument">noDates: there is no selective harvest.</error>'
    repository._listrecords = lambda arguments: wrong if is_refused(**_dates(arguments)) else whole(arguments)


def _dates(arguments):
    return {"first": arguments.get("from", ""), "last": arguments.get("until", "")}


def test_a_source_that_takes_no_dates_is_harvested_as_a_whole(run, spread, house):
    """zvdd.org (metha -no-intervals, 2026-03)."""
    _refuse_dates(spread, lambda first, last: bool(first or last))
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert _published(house) == len(spread.items)
    assert _windows(house) == []
    assert [until[10:] for _, until in _spans(spread)] == ["T23:59:59Z", "", ""]  # days once more, and then no dates


def test_the_dates_of_the_entry_bound_the_windows(run, spread, house):
    first, last = MONTHS[2].replace(day=10), MONTHS[4].replace(day=20)
    ran = run(from_=str(first), until=f"{last}T12:00:00Z")
    assert [window for window, _ in _windows(house)] == [
        f"{first}/{MONTHS[3] - DAY}",
        f"{MONTHS[3]}/{MONTHS[4] - DAY}",
        f"{MONTHS[4]}/{last}",
    ]
    assert ran.run.is_complete
    assert _published(house) == 6


def test_a_list_that_was_harvested_before_is_not_sliced_but_by_a_full_harvest(run, spread, house):
    run(unit="")
    run()
    assert _windows(house) == []
    spread.asked.clear()
    ran = run(run_options=RunOptions(is_full=True))
    assert (ran.run.is_complete, ran.run.counts["unchanged"]) == (True, len(spread.items))
    windows = _windows(house)
    assert len(windows) == len(_spans(spread)) - 2 > 5
    assert run(unit="", run_options=RunOptions(is_full=True)).run.is_complete
    assert _windows(house) == []


def test_an_entry_that_reaches_further_back_than_its_windows_gets_more_of_them(run, spread, house):
    assert run(from_=str(MONTHS[4])).run.is_complete
    for begin in (3, 1, None):
        spread.asked.clear()
        assert run(from_="" if begin is None else str(MONTHS[begin])).run.is_complete
        assert _published(house) == len(spread.items) - 3 * (begin or 0)
    assert _spans(spread)[0] == ("", f"{MONTHS[1] - DAY}T23:59:59Z")
    assert len(_spans(spread)) == 3


# --- side by side ------------------------------------------------------------------------------------------------


def test_as_many_windows_as_the_entry_allows_are_walked_at_once(run, spread, house):
    meeting, first = Barrier(3), iter(range(3))
    spread.before = lambda asked: meeting.wait(240) if "until" in asked and next(first, 3) < 3 else None
    spread.page_size = 2
    ran = run(connections=3)
    assert (ran.status, ran.run.is_complete, ran.run.reasons) == (Status.SUCCEEDED, True, ())
    assert {outcome for _, outcome in _windows(house)} == {"done"}
    assert _published(house) == len(spread.items)
    assert ran.run.counts["windows_done"] == len(_windows(house))
    asked = [tuple(sorted(request.items())) for request in spread.lists()]
    assert len(asked) == len(set(asked))


def _refuse(spread, first, last):
    """Let every list that has any of these seconds be refused; return what makes it well again."""
    whole = spread._listrecords
    wrong = '<error code="badVerb">No.</error>'

    def listed(arguments):
        holds = arguments.get("from", "") <= last and first <= arguments.get("until", "")
        return wrong if holds else whole(arguments)

    spread._listrecords = listed
    return lambda: setattr(spread, "_listrecords", whole)


def test_a_window_that_fails_leaves_the_others_done_and_only_it_is_tried_again(spread, instance, house):
    def command(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(instance), *arguments])
        return result.exit_code, result.output

    command("source", "add", "fake", spread.url, "--slice", "month", "--connections", "3")
    mend = _refuse(spread, f"{BROKEN}T00:00:00Z", f"{BROKEN}T23:59:59Z")
    code, words = command("run", "fake")
    assert code == Status.WITH_ERRORS, words
    windows = json.loads(command("status", "--json")[1])["windows"]
    assert windows["failed"] == 1
    assert windows["split"] in (4, 5)
    assert windows["done"] + windows["split"] + 1 == len(_windows(house))
    assert _published(house) == len(spread.items)
    spread.asked.clear()
    code, words = command("run", "fake", "--retry-failed")
    assert (code, "still missing" in words) == (Status.WITH_ERRORS, True)
    assert dict(_windows(house))[f"{BROKEN}/{BROKEN}"] == "failed"
    mend()
    spread.fill(1, start=900, datestamp=f"{BROKEN}T12:00:00Z")
    code, words = command("run", "fake", "--retry-failed")
    assert code == Status.SUCCEEDED, words
    assert set(_spans(spread)) == {(f"{BROKEN}T00:00:00Z", f"{BROKEN}T23:59:59Z")}
    assert "failed" not in dict(_windows(house)).values()
    assert _published(house) == len(spread.items)


@pytest.mark.unmeasured
def test_kills_at_random_moments_repeat_a_page_of_each_connection_at_most(spread, instance, harvester):
    connections = 3
    for number, month in enumerate(MONTHS):
        spread.fill(30, start=1000 * (number + 1), datestamp=f"{month}T12:00:00Z")
    entry = f'[fake]\nurl = "{spread.url}"\nslice = "month"\nconnections = {connections}\n'
    (instance / "sources.toml").write_text(entry)
    dice = random.Random(SEED)
    for _ in range(3):
        reached, gone, target = Event(), Event(), len(spread.lists()) + dice.randrange(1, 8)

        def hold(_, reached=reached, gone=gone, target=target):
            if len(spread.lists()) >= target:
                reached.set()
                gone.wait(240)

        spread.before = hold
        process = harvester("run", "fake")
        assert reached.wait(240)
        process.kill()
        process.communicate()
        gone.set()
    spread.before = lambda _: None
    process = harvester("run", "fake", "--json")
    out, err = process.communicate(timeout=240)
    assert json.loads(out)["is_complete"], err
    asked = [tuple(sorted(request.items())) for request in spread.lists()]
    assert len(asked) <= len(set(asked)) + 4 * connections  # one for each run
    with opened(str(instance)) as house:
        assert _published(house) == len(spread.items)
