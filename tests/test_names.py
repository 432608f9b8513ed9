"""Names of records, sets and formats can be undone and are legal; names in the code say what a value is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.names import local_identifier, local_prefix, local_set, upstream_identifier, upstream_set

IDENTIFIER = re.compile(r"oai:gateway\.example\.org:(?:[A-Za-z0-9\-_.!~*'();/?:@&=+$,]|%[0-9A-F]{2})+")
SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*")
ANY = st.text(st.characters(codec=None), max_size=20)
ROOT = Path(__file__).parents[1]
VAGUE = frozenset({"each", "told", "found", "said", "heard"})  # these say how a value came, not what it is


@given(ANY)
def test_an_identifier_is_legal_and_can_be_undone(upstream: str) -> None:
    local = local_identifier("gateway.example.org", "laro", upstream)
    assert IDENTIFIER.fullmatch(local)
    assert upstream_identifier(local) == upstream


@given(ANY)
def test_a_set_is_legal_and_can_be_undone(upstream: str) -> None:
    local = local_set("laro", upstream)
    assert SPEC.fullmatch(local)
    assert upstream_set(local) == upstream


@pytest.mark.parametrize(
    ("upstream", "local"),
    [("a:b", "a:b"), ("", "~"), ("a::b", "a:~:b"), ("~", "~7E"), ("é", "~C3~A9"), ("a b/c", "a~20b~2Fc")],
)
def test_what_no_set_may_have_is_escaped(upstream: str, local: str) -> None:
    assert local_set("laro", upstream) == f"source:laro:{local}"


def test_escapes_of_an_identifier_are_in_capitals() -> None:
    name = local_identifier("gateway.example.org", "laro", "oai:a/b c%2f<é>")
    assert name == "oai:gateway.example.org:laro/oai:a/b%20c%252f%3C%C3%A9%3E"


@given(st.text(st.characters(codec=None), min_size=1, max_size=20))
def test_a_prefix_is_legal(upstream: str) -> None:
    assert SPEC.fullmatch(local_prefix(upstream))
    assert ":" not in local_prefix(upstream)


@pytest.mark.parametrize(
    ("upstream", "local"), [("oai_dc.x-1", "oai_dc.x-1"), ("marc+xml:1 ~é", "marc~2Bxml~3A1~20~7E~C3~A9")]
)
def test_what_no_prefix_may_have_is_escaped(upstream: str, local: str) -> None:
    assert local_prefix(upstream) == local


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
    return name.strip("_") in VAGUE or re.match(r"_?(told|said)(_|$)", name) is not None


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
        "class Search:\n    found: int",
        "self.said = 1",
        "from names import found",
        "match 1:\n    case [*each]: ...",
    ],
)
def test_a_vague_name_is_noticed(module: str) -> None:
    assert any(map(is_vague, bound(module)))


@pytest.mark.slow
def test_names_in_the_code_say_what_a_value_is() -> None:
    vague = [
        f"{file.relative_to(ROOT)}: {name}"
        for folder in ("gateway", "harvester")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for name in bound(file.read_text("utf-8"))
        if is_vague(name)
    ]
    assert vague == [], "name these for what they hold"
