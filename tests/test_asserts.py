"""Every test asserts something, or its docstring says what must not be raised."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_OF_PYTEST = ("raises", "warns", "fail")


@pytest.mark.unmeasured
@pytest.mark.slow  # it reads all tests
def test_every_test_asserts_or_says_what_must_not_be_raised() -> None:
    silent = {
        f"{file.relative_to(ROOT)}:{test.lineno}: {test.name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for test in _silent(file.read_text("utf-8"), *_imported(file))
    }
    assert silent == set()


def test_a_silent_test_is_noticed() -> None:
    helper = "def _shown():\n    assert 1\n"
    assert [test.name for test in _silent("def test_one():\n    print(1)\n")] == ["test_one"]
    assert [test.name for test in _silent("def test_one():\n    store.check()\n")] == ["test_one"]
    assert [test.name for test in _silent('def test_one():\n    """It works."""\n    print(1)\n')] == ["test_one"]
    assert not list(_silent('def test_one():\n    """No StoreError may be raised."""\n    print(1)\n'))
    assert not list(_silent(f"{helper}def test_one():\n    _shown()\n"))
    assert not list(_silent("def test_one():\n    _shown()\n", *_functions(ast.parse(helper))))


def _silent(text: str, *imported: _Function) -> Iterator[_Function]:
    own = _functions(ast.parse(text))
    functions: dict[str, list[_Function]] = {}
    for function in (*own, *imported):
        functions.setdefault(function.name, []).append(function)
    for test in own:
        if (
            test.name.startswith("test")
            and "raise" not in (ast.get_docstring(test) or "")
            and not _asserts(test, functions)
        ):
            yield test


def _functions(tree: ast.AST) -> list[_Function]:
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


@cache
def _functions_of(file: Path) -> list[_Function]:
    return _functions(ast.parse(file.read_text("utf-8"))) if file.is_file() else []


def _imported(file: Path) -> Iterator[_Function]:
    """Return the functions that a file imports by name from modules of tests, and those that these call there."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            functions = _functions_of(ROOT / f"{str(node.module).replace('.', '/')}.py")
            if {alias.name for alias in node.names} & {function.name for function in functions}:
                yield from functions


def _asserts(function: _Function, functions: Mapping[str, Sequence[_Function]], seen: tuple[str, ...] = ()) -> bool:
    """Return whether a function, or one of tests that it calls, asserts or checks something."""
    seen = (*seen, function.name)
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _OF_PYTEST or any(option.arg == "check" and _is_true(option.value) for option in node.keywords):
                return True
            if name not in seen and any(_asserts(one, functions, seen) for one in functions.get(name, ())):
                return True
    return False


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
