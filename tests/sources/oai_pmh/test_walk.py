"""A list while it is walked: one module changes it, and its phase is what the stored state says."""

from __future__ import annotations

import ast

import pytest

from harvester.sources.oai_pmh.list_state import Phase, state_of, text_of
from tests.conftest import ROOT

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


@pytest.mark.parametrize(
    ("stored", "phase"),
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


@pytest.mark.parametrize("stored", ['{"version": 2, "phase": "check"}', '{"version": 2, "rung": "over"}'])
def test_a_phase_that_nobody_stores_is_not_one_of_ours(stored: str):
    state, note = state_of(stored)
    assert state.position.phase is Phase.PAGES
    assert "begins anew" in note
