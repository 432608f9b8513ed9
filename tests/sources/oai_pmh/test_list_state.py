"""What is known of a list, written down and read back, and the windows of its dates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.model import Slice
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.http.dates import DAY, SECONDS, moment_of
from harvester.sources.oai_pmh.date_ranges import Window, halves, text_of_windows, window_of, windows_of
from harvester.sources.oai_pmh.list_identifiers import DateOrder
from harvester.sources.oai_pmh.list_state import (
    Evidence,
    ListState,
    Phase,
    Position,
    Profile,
    made_of,
    state_of,
    text_of,
)
from tests.rows import each_row


def test_state_survives_being_written():
    position = Position(5, left="2024-01-01T00:00:00Z/", token="tö\n", from_="2020-01-01", is_window=True, paused="{}")
    begun = ListState(position, Evidence(2, 3, 4, announced=5))
    inside = begun.moved(window="/2024-01-01T00:00:00Z", phase=Phase.SINGLY, last="2023-01-01").learning(
        ignores_dates=True
    )
    for state in (ListState(), begun, inside):
        assert state_of(text_of(state)) == (state, "")


def test_state_of_an_earlier_release_goes_on():
    state, sentence = state_of('{"version": 1, "token": "t", "received": 7, "complete": 5, "is_verbatim": true}')
    assert state == made_of(complete=5, token="t", received=7, part=7, is_verbatim=True)
    assert (sentence, state.position.is_begun, state.evidence.distinct) == ("", True, 7)


def test_state_is_read_and_written_as_earlier_releases_did():
    """In 0.5.0 all fields were those of one value; an instance may go back to it."""
    text = (
        '{"announced": 5, "complete": 5, "dates": "needed", "first": 1, "from_": "2020-01-01", "ignores_dates": true, '
        '"is_doubted": true, "is_window": true, "last": "2023-01-01", "late": 4, "left": "2024-01-01T00:00:00Z/", '
        '"part": 3, "paused": "{}", "reach": "2019-01-01", "received": 2, "repeated": 3, "rung": "singly", '
        '"sets_failed": 9, "tally": 7, "token": "tö\\n", "version": 2, "window": "/2024-01-01T00:00:00Z"}'
    )
    state, sentence = state_of(text)
    assert (sentence, text_of(state)) == ("", text)
    assert (state.position.token, state.evidence.late, state.profile.dates) == ("tö\n", 4, "needed")


def test_of_a_list_that_is_over_remains_what_was_learned_and_what_was_left():
    state = made_of(complete=5, token="t", left="/2020-01-01T00:00:00Z", received=7, is_verbatim=True, granularity=DAY)
    left = Position(5, left="/2020-01-01T00:00:00Z")
    assert state.at_rest() == ListState(left, profile=Profile(is_verbatim=True, granularity=DAY))
    assert not state.at_rest().position.is_begun


@each_row(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"version": 3}',
        '{"version": 1, "token": 5}',
        '{"version": 1, "complete": "x"}',
        '{"version": 1, "complete": true}',
        '{"version": 1, "announced": "x"}',
        '{"version": 1, "other": 1}',
        '{"version": 2, "rung": "x"}',
        '{"version": 2, "window": "x"}',
        '{"version": 2, "left": "/ 2020-02-31/"}',
        '{"version": 2, "last": "soon"}',
    ],
)
def test_state_that_is_none_of_ours_means_from_the_start(text: str):
    state, sentence = state_of(text)
    assert state == ListState()
    assert "begins anew" in sentence


EARLIEST, LATEST = (parse_utc_datetime(text)[0] for text in ("2020-01-01T00:00:00Z", "2024-01-01T00:00:00Z"))


def test_windows_are_written_and_read():
    two = (Window("2020-01-01T00:00:00Z", ""), Window("", "2021-01-01T00:00:00Z"))
    assert text_of_windows(*two) == "2020-01-01T00:00:00Z/ /2021-01-01T00:00:00Z"
    assert windows_of(text_of_windows(*two)) == two
    assert windows_of("") == ()
    assert window_of("2020-01-01", "2020-01-02") == Window("2020-01-01T00:00:00Z", "2020-01-02T23:59:59Z")


@each_row("text", ["2020-01-01", "/soon", "a/b"])
def test_what_is_no_window_is_an_error(text: str):
    with pytest.raises(ValueError, match=r"window|UTCdatetime"):
        windows_of(text)


def test_window_covers_what_lies_in_it():
    year = window_of("2020-01-01", "2020-12-31")
    assert year.covers(year)
    assert year.covers(window_of("2020-05-01", "2020-05-02"))
    assert Window().covers(Window("", "2020-01-01T00:00:00Z"))
    assert not year.covers(Window("", "2020-05-01T00:00:00Z"))
    assert not year.covers(Window("2020-05-01T00:00:00Z", ""))
    assert not year.covers(window_of("2020-05-01", "2021-01-01"))


def test_days_are_halved_between_days():
    assert halves(window_of("2020-01-01", "2020-01-03"), DAY, EARLIEST, LATEST) == (
        window_of("2020-01-01", "2020-01-02"),
        window_of("2020-01-03", "2020-01-03"),
    )
    assert halves(window_of("2020-01-01", "2020-01-01"), DAY, EARLIEST, LATEST) is None
    assert halves(window_of("2020-01-01", "2020-01-01"), SECONDS, EARLIEST, LATEST) is not None


@each_row("edge", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_at_the_edge_of_all_years_nothing_is_halved(edge: str):
    second = moment_of(edge)
    assert second is not None
    for window in (Window(), Window(edge, edge)) if edge.startswith("0") else (Window(edge, ""),):
        assert halves(window, SECONDS, second, second) is None


_moments = st.one_of(st.just(""), st.integers(EARLIEST - 10**9, LATEST + 10**9).map(utc_datetime))


@given(_moments, _moments, st.sampled_from([DAY, SECONDS]), st.booleans())
def test_halving_leaves_no_gap_and_ends_at_one_day_or_second(from_: str, until: str, granularity: str, is_left: bool):
    window: Window | None = Window(from_, until)
    for _ in range(80):
        parts = halves(window, granularity, EARLIEST, LATEST)
        if parts is None:
            break
        first, second = parts
        assert (first.from_, second.until) == (window.from_, window.until)
        assert moment_of(second.from_) == moment_of(first.until) + 1
        window = first if is_left else second
    else:
        pytest.fail("It never ends.")


EARLY, LATE = "2024-01-01", "2024-01-02T03:04:05Z"
WINDOW = Window("2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z")


def _rest(*answers):
    order = DateOrder()
    for stamps in answers:
        order.add(tuple(Slice(f"oai:x:{number}", stamp, (), False, 0, 0) for number, stamp in enumerate(stamps)))
    return order.rest(WINDOW)


def test_list_that_begins_with_the_oldest_goes_on_with_newer_dates():
    assert _rest([EARLY, EARLY], [LATE]) == Window(LATE, WINDOW.until)
    assert _rest([EARLY]) == Window("2024-01-01T00:00:00Z", WINDOW.until)


def test_list_that_begins_with_the_newest_goes_on_with_older_dates():
    assert _rest([LATE], [LATE, EARLY]) == Window(WINDOW.from_, "2024-01-01T00:00:00Z")


@each_row("answers", [([EARLY, LATE], [EARLY]), ([LATE, EARLY, LATE],), ([EARLY, "soon", LATE],), ([],), ()])
def test_list_without_an_order_goes_on_nowhere(answers):
    assert _rest(*answers) is None
