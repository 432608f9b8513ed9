"""A list while it is walked: one module changes it, and its phase is what the stored state says."""

from __future__ import annotations

import ast
import re

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
from tests.conftest import ROOT
from tests.rows import each_row

FOLDER = ROOT / "harvester" / "sources" / "oai_pmh"


def _assignments_to_walk(source: str) -> list[str]:
    """Return the attributes of `walk` that a module assigns, with their lines."""
    return [
        f"{node.lineno}: walk.{node.attr}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "walk"
    ]


def test_only_its_own_module_changes_a_walk():
    assert _assignments_to_walk("walk.failures += 1\nfirst, walk.state = 1, 2") == ["1: walk.failures", "2: walk.state"]
    assignments = {file.name: _assignments_to_walk(file.read_text("utf-8")) for file in FOLDER.glob("*.py")}
    assert {name: lines for name, lines in assignments.items() if lines} == {}
    assert "walk.py" in assignments


# What only reads the values of a walk.
_READERS = {"received.has"}


def _changes_within_walk(source: str) -> list[str]:
    """Return what a module calls on a value of `walk`, unless it only reads, and every use of its notes."""
    tree = ast.parse(source)
    called = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    inside = [name for name in called if name.startswith(("walk.received.", "walk.fetch."))]
    return [name for name in inside if name.removeprefix("walk.") not in _READERS] + [
        name for name in named if name == "walk.notes"
    ]


def test_only_its_own_module_changes_the_values_of_a_walk():
    assert _changes_within_walk("walk.received.tokens.add(1)\nwalk.received.has(())\nwalk.fetch(1)\nf(walk.notes)") == [
        "walk.received.tokens.add",
        "walk.notes",
    ]
    changes = {file.name: _changes_within_walk(file.read_text("utf-8")) for file in FOLDER.glob("*.py")}
    assert {name: lines for name, lines in changes.items() if lines} == {}


def test_only_the_module_of_transitions_sets_the_state():
    """`list_state.py` reads it from what is stored."""
    setting = {file.name for file in FOLDER.glob("*.py") if re.search(r"\bphase=", file.read_text("utf-8"))}
    assert setting == {"transitions.py", "list_state.py"}


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
