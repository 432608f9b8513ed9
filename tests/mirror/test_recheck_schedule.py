"""When a file is due for a recheck, and the memory of that."""

import json
import sqlite3

import pytest

from gateway.core.errors import StoreUnwritable
from harvester.mirror.caches import RECHECKS, NextCheck, RecheckSchedule
from harvester.mirror.catalogue import Entry
from tests.rows import each_row

DAY = 86_400


def _entry(name, head, *, is_deleted=False):
    return Entry(name, name, head, "", is_deleted)


def test_what_has_several_versions_is_looked_at_once(tmp_path, monkeypatch):
    """The catalogue names the first versions of all objects before the second ones."""
    monkeypatch.setattr("harvester.mirror.caches._AT_ONCE", 2)
    catalogue = [_entry(name, head) for head in (1, 2, 3) for name in "abcd"]
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take(catalogue)
        assert list(rechecks.due(1000, 100)) == list("abcd")
        assert len(rechecks.due(1000, 100)) == 4
        for name in "abcd":
            rechecks.note(name, 3, {}, NextCheck(100, 1050))
        rechecks.take(catalogue)
        assert list(rechecks.due(1000, 100)) == []
        assert len(rechecks.due(1000, 100)) == 0
        rechecks.take([_entry("b", 4)])
        assert list(rechecks.due(1000, 100)) == ["b"]
        assert list(rechecks.due(1050, 100)) == list("abcd")


def test_what_is_deleted_or_never_came_to_be_is_never_due(tmp_path):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1), _entry("b", 1), _entry("c", 1), _entry("c", 0)])
        rechecks.take([_entry("b", 2, is_deleted=True)])
        assert list(rechecks.due(1000, 10)) == ["a"]
        rechecks.take([_entry("b", 3)])
        assert list(rechecks.due(1000, 10)) == ["a", "b"]


def test_what_was_noted_by_another_period_or_a_clock_that_was_ahead_is_looked_at(tmp_path):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1), _entry("b", 1)])
        rechecks.note("a", 1, {}, NextCheck(30 * DAY, 30 * DAY))
        rechecks.note("b", 1, {}, NextCheck(30 * DAY, 300 * DAY))
        assert list(rechecks.due(DAY, 30 * DAY)) == ["b"]
        assert list(rechecks.due(DAY, DAY)) == ["a", "b"]


def test_a_memory_that_somebody_else_writes_is_no_damage(tmp_path, monkeypatch):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1)])
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda file: connect(file, timeout=0))
    other = connect(tmp_path / RECHECKS, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnwritable, match="locked"):
        RecheckSchedule(tmp_path)
    other.close()
    with RecheckSchedule(tmp_path) as rechecks:
        assert list(rechecks.due(0, 1)) == ["a"]


@each_row("later", [-1, 30 * DAY])
def test_a_round_that_was_not_ended_is_begun_anew(tmp_path, later):
    with RecheckSchedule(tmp_path) as rechecks:
        first = rechecks.begun(1000)
        assert not rechecks.begun(1000 + later).is_resumed
        assert rechecks.begun(1000 + later).number == first.number + 1


@pytest.mark.slow
class TestCommand:
    """`harvester mirror recheck --every`."""

    def test_a_period_that_is_none_in_mirror_json_is_reported(self, mirror, recheck, fill):
        fill(1, says=())
        mirror.run()
        file = mirror.folder / "mirror.json"
        for wrong in ("30 days", "0d", "often"):
            file.write_text(json.dumps({**json.loads(file.read_bytes()), "recheck_every": wrong}))
            assert recheck(status=2) == {}
            assert f"recheck_every '{wrong}'" in mirror.stderr
        recheck("--every", "1d")
        assert json.loads(file.read_bytes())["recheck_every"] == "1d"
