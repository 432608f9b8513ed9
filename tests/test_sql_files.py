"""SQL stands in `.sql` files, and not in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.test_layers import MODULES


@pytest.mark.slow  # it reads every module
def test_sql_stands_in_sql_files() -> None:
    """Transactions begin and end in the room of the store; every other statement is in a `.sql` file."""
    others = {name: file for name, file in MODULES.items() if not f"{name}.".startswith("gateway.store.")}
    assert others
    assert {name: sql for name, file in others.items() if (sql := [*filter(_IS_SQL.fullmatch, _texts(file))])} == {}


@each_row(
    "text, is_sql",
    [
        ("BEGIN IMMEDIATE", True), ("PRAGMA synchronous = OFF", True), ("select 1", True),
        (" insert or ignore into window values (?)", True), ("update x set a = 1", True), ("delete from x", True),
        ("drop table if exists x", True), ("Begin behind the page.", False),
        ("Delete from the list what is gone.", False), ("Select one:", False), ("update", False),
    ],
)  # fmt: skip
def test_sql_is_noticed_and_sentences_are_none(text: str, is_sql: bool) -> None:
    assert bool(_IS_SQL.fullmatch(text)) is is_sql


def _texts(file: Path) -> Iterator[str]:
    """Return the texts in a module, without those of `__all__`."""
    tree = ast.parse(file.read_text("utf-8"))
    lists = (node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    public = {id(name) for node in lists for name in ast.walk(node)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in public)
    return (node.value for node in constants if isinstance(node.value, str))


_IS_SQL = re.compile(
    r"\s*(?:begin(?: (?:immediate|exclusive|deferred))?|rollback|vacuum|pragma \w+.*|attach .* as \w+|select .*\w"
    r"|insert (?:or \w+ )?into .*[\w)]|update \w+ set .*|delete from \w+(?: where .*)?"
    r"|(?:create|drop|alter) (?:table|index) .*)"
    r"\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
