"""`gateway index` makes the search index; check, backup, restore and rebuild treat it as something derived."""

import json

from gateway.search.base import Query
from gateway.search.following import NAME
from gateway.search.sqlite_reader import open_search


def names(folder, text: str = "") -> tuple[str, ...]:
    return open_search(folder).search(Query(text)).identifiers


def test_index_is_made_and_made_anew(gateway, folder, publish):
    gateway("init")
    publish(is_indexed=False)
    result = gateway("index", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["items"] == 1
    assert "The search index is complete up to" in result.stderr
    assert names(folder) == ("oai:gateway.example.org:laro/1",)
    assert gateway("index", "--anew").exit_code == 0
    assert names(folder) == ("oai:gateway.example.org:laro/1",)


def test_check_compares_the_index_with_the_store(gateway, folder, publish):
    gateway("init")
    assert "search index" not in gateway("check").stderr
    publish(is_indexed=False)
    assert "The search index is missing" in gateway("check").stderr
    assert "search index" not in gateway("check", GATEWAY_BROWSE_SEARCH="false").stderr
    gateway("index")
    assert "The search index is complete up to" in gateway("check").stderr
    (folder / NAME).write_bytes(b"nothing")
    assert "The search index cannot be read" in gateway("check").stderr


def test_check_says_how_far_the_index_is_behind_or_ahead(gateway, folder, publish):
    gateway("init")
    gateway("index")
    publish(is_indexed=False)
    assert "The search index lacks the last changes: 1." in gateway("check").stderr
    gateway("index")
    for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    gateway("init")
    assert "belongs to another store" in gateway("check").stderr


def test_backup_leaves_the_index_out_and_restore_removes_it(gateway, folder, publish, tmp_path):
    gateway("init")
    publish(is_indexed=False)
    gateway("index")
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    assert not list((tmp_path / "backup").rglob(f"{NAME}*"))
    assert gateway("restore", "--replace", str(tmp_path / "backup")).exit_code == 0
    assert not (folder / NAME).exists()
    gateway("index")
    assert names(folder) == ("oai:gateway.example.org:laro/1",)


def test_backup_leaves_a_loaded_graph_out_and_restore_removes_it(gateway, folder, publish, tmp_path):
    gateway("init")
    publish()
    (folder / "graph").mkdir()
    (folder / "graph" / "graph.lbug").write_bytes(b"")
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    assert not list((tmp_path / "backup").rglob("graph*"))
    assert gateway("restore", "--replace", str(tmp_path / "backup")).exit_code == 0
    assert not (folder / "graph").exists()
