"""The files of named SQL: every query is used, and there when it is asked for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from gateway.store import queries
from tests.conftest import ROOT
from tests.rows import each_row

FOLDER = Path(queries.__file__).parent
USES = {
    "sqlite": "sqlite*.py",
    "inbox": "sqlite_inbox.py",
    "discovery": "sqlite_discovery*.py",
    "subscriptions": "*subscri*.py",
    "users": "sqlite_users.py",
}
# Query files of one module each, beside it: harvester/mirror/recheck_schedule.sql.
OTHERS = sorted(file for file in (ROOT / "harvester").rglob("*.sql") if not file.stem.endswith("_schema"))
# What begins a statement that reads or writes rows, or changes a schema; transactions and pragmas are no queries.
KEYWORD = re.compile(r"(?i)\b(?:select|insert|replace\s+into|delete\s+from|update|create|drop|alter)\s")
STATEMENT = re.compile(
    r"(?is)\bselect\b.+\bfrom\b|\binsert\s+(?:or\s+\w+\s+)?into\b|\breplace\s+into\b|\bdelete\s+from\b"
    r"|\bupdate\s+\w+\s+set\b|\b(?:create|drop|alter)\s+(?:unique\s+)?(?:table|index|view|trigger)\b"
)


def used(dialect: str) -> set[str]:
    others = {file for use in USES if use != "sqlite" for file in FOLDER.glob(USES[use])}
    files = set(FOLDER.glob(USES[dialect])) - (others if dialect == "sqlite" else set())
    files.add(FOLDER / "database_files.py")  # it looks into copies of several databases
    text = "".join(file.read_text("utf-8") for file in files)
    known = queries.load(dialect)
    direct = set(re.findall(r'SQL\["(\w+)"\]', text))
    by_name = {name for name in re.findall(r'"(\w+)"', text) if name in known}
    return direct | by_name


@each_row("dialect", USES)
def test_every_query_is_named_once_and_used_and_every_used_query_exists(dialect):
    known = queries.load(dialect)
    assert used(dialect) == set(known)
    assert (FOLDER / f"{dialect}.sql").read_text("utf-8").count("-- name:") == len(known)


@each_row("file", OTHERS)
def test_queries_beside_a_module_are_used_by_it(file):
    known, text = queries.load_file(file), file.read_text("utf-8")
    assert text.count("-- name:") == len(known)
    words = set(re.findall(r'"(\w+)"', file.with_suffix(".py").read_text("utf-8")))
    assert {name for name in known if name not in words and name.removesuffix("_count") not in words} == set()


def test_no_string_in_python_is_sql():
    files = (file for package in ("gateway", "harvester") for file in (ROOT / package).rglob("*.py"))
    texts = ((file, file.read_text("utf-8")) for file in files)
    statements = {file: list(_sql_in(text)) for file, text in texts if KEYWORD.search(text)}
    assert {str(file.relative_to(ROOT)): strings for file, strings in statements.items() if strings} == {}


def _sql_in(text):
    """Return the strings of a module that are SQL; a string that is a statement of its own is a docstring."""
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from STATEMENT.findall(node.value)


def test_queries_come_without_their_comments_and_semicolons():
    assert queries.load("sqlite")["position"] == "select position from source where name = ?"
