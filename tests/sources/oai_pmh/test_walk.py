"""A list while it is walked: its phase is what the stored state says, and only listed transitions are possible."""

from __future__ import annotations

import pytest

from gateway.model import Cursor, RawPage
from harvester.http.messages import Fetched
from harvester.sources import ListEnd, Options
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Phase, state_of, text_of
from harvester.sources.oai_pmh.transitions import (
    TRANSITIONS,
    UnlistedTransition,
    begin_check,
    check_transition,
    restart,
)
from harvester.sources.oai_pmh.walk import Walk
from tests.rows import each_row

PAGE = RawPage("fake", "ListRecords", "https://example.org/oai", 1, 200, (), b"<OAI-PMH/>")


@pytest.fixture
def walk() -> Walk:
    """Return a list at its beginning, whose source is never asked."""

    def fetch(_: object) -> Fetched:
        raise AssertionError

    return Walk(Options("", "https://example.org/oai"), Cursor("fake", "oai_dc", ""), fetch)


def test_a_transition_that_is_not_listed_is_a_fault_of_the_program(walk: Walk):
    walk.change(begin_check(walk.state, Window()))
    walk.step(PAGE)
    walk.change(restart(walk.state))
    with pytest.raises(UnlistedTransition, match="from CHECK to PAGES"):
        walk.step(PAGE)


@each_row("before", Phase)
@each_row("after", Phase)
def test_the_table_decides_which_transitions_there_are(before: Phase, after: Phase):
    if after in TRANSITIONS[before]:
        check_transition(before, after)
    else:
        with pytest.raises(UnlistedTransition, match=f"from {before.name} to {after.name}"):
            check_transition(before, after)


def test_a_list_that_is_over_does_not_go_on(walk: Walk):
    walk.step(PAGE, end=ListEnd.PROPER)
    with pytest.raises(UnlistedTransition, match="from OVER to PAGES"):
        walk.step(PAGE)


@each_row(
    "stored, phase",
    [
        ("{}", Phase.PAGES),
        ('{"window": "/2024-01-01T00:00:00Z"}', Phase.WINDOW),
        ('{"window": "/2024-01-01T00:00:00Z", "rung": "singly"}', Phase.SINGLY),
        ('{"rung": "singly"}', Phase.SINGLY),
        ('{"window": "/2024-01-01T00:00:00Z", "rung": "check"}', Phase.CHECK),
    ],
)
def test_the_phase_of_a_list_is_read_from_what_earlier_releases_stored(stored: str, phase: Phase):
    text = stored.replace("{", '{"version": 2, ', 1).replace(", }", "}")
    state, note = state_of(text)
    assert (state.position.phase, note) == (phase, "")
    assert state_of(text_of(state)) == (state, "")


@each_row("stored", ['{"version": 2, "phase": "check"}', '{"version": 2, "rung": "over"}'])
def test_a_phase_that_nobody_stores_is_not_one_of_ours(stored: str):
    state, note = state_of(stored)
    assert state.position.phase is Phase.PAGES
    assert "begins anew" in note
