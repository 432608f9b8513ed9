"""Names in the code and in the tests say what a value is, and not how it came."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

VAGUE = frozenset({"each", "told", "found", "said", "heard"})  # these say how a value came, not what it is
BEGINS = re.compile(r"_?(told|said)(_|$)", re.IGNORECASE)
ENDS = re.compile(r"(^|_)(told|untold|said|heard|unheard)$", re.IGNORECASE)


def bound(module: str) -> Iterator[str]:
    """Yield the names that a module gives to values, arguments, attributes, functions and imports."""
    for node in ast.walk(ast.parse(module)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=imported, asname=name):
                yield name or imported
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def is_vague(name: str) -> bool:
    return name.strip("_").lower() in VAGUE or BEGINS.match(name) is not None or ENDS.search(name) is not None


@pytest.mark.parametrize(
    "module",
    [
        "told = 1",
        "for each in (): ...",
        "[said for said in ()]",
        "(heard := 1)",
        "lambda found: 1",
        "def _told_address(): ...",
        "def said_by(): ...",
        "def _compression_told(): ...",
        "is_told = 1",
        "self._is_said = 1",
        "class Search:\n    words_heard: int",
        "class Search:\n    found: int",
        "self.said = 1",
        "from names import found",
        "match 1:\n    case [*each]: ...",
        "_MOST_TOLD = 1",
        "_TOLD_SECONDS = 1",
        "_OF_THE_UNHEARD = 1",
        "_UNTOLD = 1",
        "self.is_unheard = 1",
    ],
)
def test_a_vague_name_is_noticed(module: str) -> None:
    assert any(map(is_vague, bound(module)))


@pytest.mark.parametrize("module", ["is_stated = 1", "def founders(): ..."])
def test_other_names_are_left_alone(module: str) -> None:
    assert not any(map(is_vague, bound(module)))


@pytest.mark.slow
def test_names_in_the_code_and_in_the_tests_say_what_a_value_is() -> None:
    vague = [
        f"{file.relative_to(ROOT)}: {name}"
        for folder in ("gateway", "harvester", "tests")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for name in bound(file.read_text("utf-8"))
        if is_vague(name) and (folder != "tests" or name.islower())  # some classes and constants of tests are vague
    ]
    assert vague == [], "name these for what they hold"
