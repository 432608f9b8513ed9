"""A docstring names the errors that a function raises itself.

Commands are exempt, because their docstrings are help texts; so are private functions and errors.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.conftest import ROOT

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
EXEMPT = frozenset({"AssertionError", "NotImplementedError", "SystemExit"})


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements in a node, without those in nested functions and classes."""
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for statement in getattr(node, field, ()):
            yield statement
            if not isinstance(statement, DEFINITIONS):
                yield from _statements(statement)


def _public(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the public functions of a module, and the public methods of its public classes, with their names."""
    for statement in _statements(node):
        if not isinstance(statement, DEFINITIONS) or statement.name.startswith("_"):
            continue
        if isinstance(statement, ast.ClassDef):
            yield from _public(statement, f"{prefix}{statement.name}.")
        else:
            yield f"{prefix}{statement.name}", statement


def _name(expression: ast.expr | None) -> str:
    """Return the last part of a dotted name: `BadParameter` of `click.BadParameter`; empty if it is no name."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _is_command(function: Function) -> bool:
    names = (_name(line.func if isinstance(line, ast.Call) else line) for line in function.decorator_list)
    return any(name in ("command", "group") for name in names)


def _raised(function: Function, makers: dict[str, str]) -> set[str]:
    """Return the classes of errors in `raise` statements. `makers` has the class that each function returns."""
    names = set[str]()
    for statement in _statements(function):
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            error = statement.exc
            kind = error.func if isinstance(error, ast.Call) else error
            choices = (kind.body, kind.orelse) if isinstance(kind, ast.IfExp) else (kind,)
            names |= {makers.get(_name(choice), _name(choice)) for choice in choices}
    return {name for name in names if name[:1].isupper()} - EXEMPT


def unnamed(source: str) -> list[str]:
    """Return each public function of a module, with an error that it raises and its docstring does not name."""
    tree = ast.parse(source)
    makers = {node.name: _name(node.returns) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return [
        f"{name}: {error}"
        for name, function in _public(tree)
        if not _is_command(function)
        for error in sorted(_raised(function, makers))
        if not re.search(rf"\b{error}\b", ast.get_docstring(function) or "")
    ]


@pytest.mark.parametrize("package", ["gateway", "harvester"])
def test_docstrings_name_the_errors_that_a_function_raises(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    unnamed_errors = {str(file.relative_to(ROOT)): unnamed(file.read_text(encoding="utf-8")) for file in files}
    assert {file: names for file, names in unnamed_errors.items() if names} == {}


@pytest.mark.parametrize(
    "body",
    [
        "raise Broken",
        "raise Broken('reason') from None",
        "raise errors.Broken",
        "raise (Broken if wrong else other)(wrong)",
        "raise made(wrong)",
        "if wrong:\n    raise Broken",
        "try:\n    pass\nexcept OSError:\n    raise Broken",
        "match wrong:\n    case _:\n        raise Broken",
    ],
)
def test_an_error_without_its_name_in_the_docstring_is_found(body: str) -> None:
    source = "def made(text) -> Broken: ...\n\ndef read(wrong):\n    '''{}'''\n" + "".join(
        f"    {line}\n" for line in body.splitlines()
    )
    assert unnamed(source.format("Return it.")) == ["read: Broken"]
    assert unnamed(source.format("Return it. Raise BrokenOff.")) == ["read: Broken"]
    assert unnamed(source.format("Return it. Raise Broken.")) == []


def test_an_error_of_a_method_is_found() -> None:
    source = """
        class Reader:
            async def read(self):
                raise Broken
    """
    assert unnamed(dedent(source)) == ["Reader.read: Broken"]


@pytest.mark.parametrize(
    "source",
    [
        "def read():\n    raise",
        "def read(error):\n    raise error",
        "def read():\n    raise NotImplementedError",
        "def read():\n    raise SystemExit(1)",
        "def read():\n    raise _Private",
        "def read():\n    def inner():\n        raise Broken",
        "def _read():\n    raise Broken",
        "class _Reader:\n    def read():\n        raise Broken",
        "class Reader:\n    def __init__():\n        raise Broken",
        "@main.command()\ndef read():\n    raise Broken",
        "@group\ndef read():\n    raise Broken",
    ],
)
def test_what_is_exempt_needs_no_name(source: str) -> None:
    assert unnamed(source) == []
