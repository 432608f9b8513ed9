"""The files of named SQL: every query is used, and there when it is asked for."""

from __future__ import annotations

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
SEARCH = ROOT / "gateway" / "search"
# Query files of one module each, beside it: harvester/mirror/recheck_schedule.sql.
OTHERS = sorted(file for file in (ROOT / "harvester").rglob("*.sql") if not file.stem.endswith("_schema"))


def used(files: set[Path], known: set[str]) -> set[str]:
    text = "".join(file.read_text("utf-8") for file in files)
    direct = set(re.findall(r'SQL\["(\w+)"\]', text))
    by_name = {name for name in re.findall(r'"(\w+)"', text) if name in known}
    return direct | by_name


def modules_of(dialect: str) -> set[Path]:
    others = {file for use in USES if use != "sqlite" for file in FOLDER.glob(USES[use])}
    files = set(FOLDER.glob(USES[dialect])) - (others if dialect == "sqlite" else set())
    return files | {FOLDER / "database_files.py"}  # it looks into copies of several databases


@each_row(
    "file, modules",
    [
        *((FOLDER / f"{dialect}.sql", modules_of(dialect)) for dialect in USES),
        (SEARCH / "search.sql", set(SEARCH.glob("*.py"))),
    ],
)
def test_every_query_is_named_once_and_used_and_every_used_query_exists(file, modules):
    known = queries.load_file(file)
    assert used(modules, set(known)) == set(known)
    assert file.read_text("utf-8").count("-- name:") == len(known)


@each_row("file", OTHERS)
def test_queries_beside_a_module_are_used_by_it(file):
    known, text = queries.load_file(file), file.read_text("utf-8")
    assert text.count("-- name:") == len(known)
    words = set(re.findall(r'"(\w+)"', file.with_suffix(".py").read_text("utf-8")))
    assert {name for name in known if name not in words and name.removesuffix("_count") not in words} == set()


def test_queries_come_without_their_comments_and_semicolons():
    assert queries.load("sqlite")["position"] == "select position from source where name = ?"
