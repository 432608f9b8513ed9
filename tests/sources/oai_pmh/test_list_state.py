"""What is known of a list, written down and read back."""

import pytest

from gateway.core.model import Cursor, RawPage
from harvester.http.dates import DAY
from harvester.http.messages import Fetched
from harvester.sources import Options
from harvester.sources.oai_pmh.date_ranges import Window
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
from harvester.sources.oai_pmh.transitions import (
    UnlistedTransition,
    begin_check,
    restart,
)
from harvester.sources.oai_pmh.walk import Walk
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


PAGE = RawPage("fake", "ListRecords", "https://example.org/oai", 1, 200, (), b"<OAI-PMH/>")


@pytest.fixture
def walk() -> Walk:
    """Return a list at its beginning, whose source is never asked."""

    def fetch(_: object) -> Fetched:
        raise AssertionError

    return Walk(Options("", "https://example.org/oai"), Cursor("fake", "oai_dc", ""), fetch)


def test_a_transition_that_is_not_listed_is_a_fault_of_the_program(walk: Walk):
    walk.state = begin_check(walk.state, Window())
    walk.step(PAGE)
    walk.state = restart(walk.state)
    with pytest.raises(UnlistedTransition, match="from CHECK to PAGES"):
        walk.step(PAGE)
