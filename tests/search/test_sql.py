"""The named SQL of the search: every query is described and used."""

from __future__ import annotations

import re

from gateway.search import sqlite_index
from gateway.store.queries import load_file

FOLDER = sqlite_index.SCHEMA.parent


def test_every_query_is_described_and_used():
    file = FOLDER / "search.sql"
    text = file.read_text("utf-8")
    described = re.findall(r"^-- name: (\w+)\n-- [A-Z][^\n]+\.\n[^-\s]", text, re.MULTILINE)
    used = {name for module in FOLDER.glob("*.py") for name in re.findall(r'SQL\["(\w+)"\]', module.read_text("utf-8"))}
    assert sorted(described) == sorted(set(described)) == sorted(load_file(file)) == sorted(used)
    assert text.count("-- name:") == len(described)
