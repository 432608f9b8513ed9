"""A docstring names the errors that a function raises itself.

Commands are exempt, because their docstrings are help texts; so are private functions and errors.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

import pytest

from tests.conftest import ROOT
from tests.rows import each_row

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


@pytest.mark.slow  # it reads every module
def test_docstrings_name_the_errors_that_a_function_raises() -> None:
    files = [*(ROOT / "gateway").rglob("*.py"), *(ROOT / "harvester").rglob("*.py")]
    unnamed_errors = {str(file.relative_to(ROOT)): unnamed(file.read_text(encoding="utf-8")) for file in files}
    assert {file: names for file, names in unnamed_errors.items() if names} == {}


@each_row(
    "source, expected",
    [
        (
            "def read():\n    'Return it. Raise BrokenOff.'\n    raise errors.Broken('reason') from None",
            ["read: Broken"],
        ),
        ("def read():\n    'Return it. Raise Broken.'\n    raise Broken", []),
        ("def read():\n    raise (Broken if wrong else other)(wrong)", ["read: Broken"]),
        ("def made() -> Broken: ...\ndef read():\n    raise made(wrong)", ["read: Broken"]),
        ("def read():\n    try:\n        pass\n    except OSError:\n        raise Broken", ["read: Broken"]),
        ("class Reader:\n    async def read(self):\n        raise Broken", ["Reader.read: Broken"]),
        ("def read(error):\n    raise error", []),
        ("def read():\n    def inner():\n        raise Broken", []),
        ("@main.command()\ndef read():\n    raise Broken", []),
    ],
)
def test_an_error_without_its_name_in_the_docstring_is_found(source: str, expected: list[str]) -> None:
    assert unnamed(source) == expected
