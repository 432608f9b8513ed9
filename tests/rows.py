"""Tests that try one promise with every row of a table: one test, which names all rows that fail."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def each_row(names: str, rows: Iterable[object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test once for each row, with the values of the row as the arguments `names`; fail for all at the end.

    Rows are written as for `parametrize`, without marks. All rows have the same fixtures, so a test must leave nothing
    behind; only `tmp_path` is a folder of the row's own.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    table = [_values(row, len(wanted)) for row in rows]
    assert table, "A table without rows proves nothing."

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            for number, values in enumerate(table):
                row = dict(zip(wanted, values, strict=True))
                try:
                    test(**_own(fixtures, number), **row)
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - raised below, with all others
                    failure.add_note(f"Row {number}: {row!r:.2000}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows fail", failures)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        assert len(left) + len(wanted) == len(signature.parameters), f"{test.__name__} does not take all of {names}."
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def _values(row: object, count: int) -> tuple[object, ...]:
    if isinstance(row, ParameterSet):
        assert not row.marks, "A row has no marks of its own."
        return tuple(row.values)
    return tuple(row) if count > 1 else (row,)  # type: ignore[arg-type]


def _own(fixtures: dict[str, Any], number: int) -> dict[str, Any]:
    if "tmp_path" not in fixtures:
        return fixtures
    folder: Path = fixtures["tmp_path"] / f"row-{number}"
    folder.mkdir()
    return {**fixtures, "tmp_path": folder}
