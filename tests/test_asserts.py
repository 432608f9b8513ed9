"""Every test asserts something, or its docstring says what must not be raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import pytest

from tests.conftest import ROOT

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CHECKS = ("assert", "raises", "fail", "check")  # beginnings of names of functions that raise when something is wrong


@pytest.mark.slow  # it reads all tests
def test_every_test_asserts_or_says_what_must_not_be_raised() -> None:
    silent = {
        f"{file.relative_to(ROOT)}:{test.lineno}: {test.name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for test in _silent(file.read_text("utf-8"))
    }
    assert silent == set()


def test_a_silent_test_is_noticed() -> None:
    helper = "def _shown():\n    assert 1\n"
    assert [test.name for test in _silent("def test_one():\n    print(1)\n")] == ["test_one"]
    assert [test.name for test in _silent('def test_one():\n    """It works."""\n    print(1)\n')] == ["test_one"]
    assert not list(_silent('def test_one():\n    """No StoreError may be raised."""\n    print(1)\n'))
    assert not list(_silent(f"{helper}def test_one():\n    _shown()\n"))


def _silent(text: str) -> Iterator[_Function]:
    tree = ast.parse(text)
    every = [node for node in ast.walk(tree) if isinstance(node, _Function)]
    functions = {function.name: function for function in every}
    for test in every:
        if (
            test.name.startswith("test")
            and "raise" not in (ast.get_docstring(test) or "")
            and not _asserts(test, functions)
        ):
            yield test


def _asserts(function: _Function, functions: Mapping[str, _Function], seen: tuple[str, ...] = ()) -> bool:
    """Return whether a function, or one of its module that it calls, asserts or checks something."""
    seen = (*seen, function.name)
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name.startswith(_CHECKS) or any(
                option.arg == "check" and _is_true(option.value) for option in node.keywords
            ):
                return True
            if name in functions and name not in seen and _asserts(functions[name], functions, seen):
                return True
    return False


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
