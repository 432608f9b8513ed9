"""The files of named SQL: every query is named once, and used by a module beside it."""

import re
from pathlib import Path

from gateway.store import queries
from tests.conftest import ROOT
from tests.rows import each_row

FILES = [
    file
    for part in ("gateway", "harvester")
    for file in sorted((ROOT / part).rglob("*.sql"))
    if "-- name:" in file.read_text("utf-8")
]


@each_row("file", FILES)
def test_every_query_is_named_once_and_used_by_a_module_beside_it(file: Path) -> None:
    known = queries.load_file(file)
    assert file.read_text("utf-8").count("-- name:") == len(known)
    room = ROOT / "gateway" / "store" if "sql" in file.parts else file.parent
    text = "".join(module.read_text("utf-8") for module in room.rglob("*.py"))
    words = set(re.findall(r'"(\w+)"', text))
    assert {name for name in known if name not in words and name.removesuffix("_count") not in words} == set()


def test_queries_come_without_their_comments_and_semicolons():
    assert queries.load("store")["position"] == "select position from source where name = ?"
