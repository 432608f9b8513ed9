"""The files of named SQL: every query is described, used, and there when it is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gateway.store import queries

FOLDER = Path(queries.__file__).parent
USES = {
    "sqlite": "sqlite*.py",
    "inbox": "sqlite_inbox.py",
    "discovery": "sqlite_discovery.py",
    "subscriptions": "sqlite_subscriptions.py",
}


def used(dialect: str) -> set[str]:
    others = {file for each in USES if each != "sqlite" for file in FOLDER.glob(USES[each])}
    files = set(FOLDER.glob(USES[dialect])) - (others if dialect == "sqlite" else set())
    files.add(FOLDER / "sqlite_copy.py")  # it looks into copies of several databases
    text = "".join(file.read_text("utf-8") for file in files)
    known = queries.load(dialect)
    direct = set(re.findall(r'SQL\["(\w+)"\]', text))
    by_name = {name for name in re.findall(r'"(\w+)"', text) if name in known}
    return direct | by_name


@pytest.mark.parametrize("dialect", USES)
def test_every_query_is_used_and_every_used_query_exists(dialect):
    assert used(dialect) == set(queries.load(dialect))


@pytest.mark.parametrize("dialect", USES)
def test_every_query_is_named_and_described(dialect):
    text = (FOLDER / f"{dialect}.sql").read_text("utf-8")
    described = re.findall(r"^-- name: \w+\n-- [A-Z][^\n]+\.\n[^-\s]", text, re.MULTILINE)
    assert len(described) == text.count("-- name:") == len(queries.load(dialect))


@pytest.mark.parametrize("dialect", USES)
def test_names_are_given_once(dialect):
    names = re.findall(r"^-- name: (\w+)$", (FOLDER / f"{dialect}.sql").read_text("utf-8"), re.MULTILINE)
    assert len(names) == len(set(names))


def test_queries_come_without_their_comments_and_semicolons():
    assert queries.load("sqlite")["position"] == "select position from source where name = ?"
