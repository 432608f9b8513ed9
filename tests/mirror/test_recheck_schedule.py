"""When a file is due for a recheck, and the memory of that."""

from __future__ import annotations

import json
import re
import sqlite3
import time

import pytest

from gateway.errors import StoreUnwritable
from gateway.xmltext import parse_utc_datetime
from harvester.mirror.catalogue import Entry
from harvester.mirror.component import Component
from harvester.mirror.databases import CacheDatabase
from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.object_state import HeldFile
from harvester.mirror.recheck_schedule import NAME, Check, NextCheck, RecheckSchedule
from tests.rows import each_row

DAY = 86_400


def _entry(name, head, *, is_deleted=False):
    return Entry(name, name, head, "", is_deleted)


def test_what_has_several_versions_is_looked_at_once(tmp_path, monkeypatch):
    """The catalogue names the first versions of all objects before the second ones."""
    monkeypatch.setattr("harvester.mirror.recheck_schedule._AT_ONCE", 2)
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


@each_row("damage", [b"no database at all", b""])
def test_a_memory_that_is_damaged_is_begun_anew(tmp_path, damage):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take(_entry(f"{number:0100}", 1) for number in range(1000))
    file = tmp_path / NAME
    content = file.read_bytes()
    file.write_bytes(damage or content[:4096] + b"\xff" * (len(content) - 4096))
    (tmp_path / f"{NAME}-journal").write_bytes(b"of another file")
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1)])
        rechecks.note("a", 1, {"files/a": Check("", 1, 1)}, NextCheck(10, 1000))
    with RecheckSchedule(tmp_path) as rechecks:
        assert list(rechecks.due(1000, 10)) == ["a"]
        planned = PlannedFile(Component(("http://x",)), "files/a", HeldFile(path="files/a"), is_same=False)
        assert rechecks.of("a", [planned]) == {"files/a": Check("", 1, 1)}


def test_a_memory_that_somebody_else_writes_is_no_damage(tmp_path, monkeypatch):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1)])
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda file: connect(file, timeout=0))
    other = connect(tmp_path / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnwritable, match="locked"):
        RecheckSchedule(tmp_path)
    other.close()
    with RecheckSchedule(tmp_path) as rechecks:
        assert list(rechecks.due(0, 1)) == ["a"]


def test_a_memory_on_a_full_disk_says_so(tmp_path):
    memory = CacheDatabase(tmp_path / NAME, "CREATE TABLE IF NOT EXISTS one (text TEXT)")
    memory.rows("PRAGMA max_page_count = 2")
    with pytest.raises(StoreUnwritable, match=f"{NAME} cannot be read or written: database or disk is full"):
        memory.many("INSERT INTO one VALUES (?)", ((f"{number:01000}",) for number in range(100)))
    memory.close()
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_round_that_was_not_ended_goes_on(tmp_path):
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.take([_entry("a", 1), _entry("b", 1)])
        first = rechecks.begun(1000)
        assert list(rechecks.not_in(first)) == ["a", "b"]
        rechecks.note("a", 1, {}, NextCheck(0, 0, first.number))
    with RecheckSchedule(tmp_path) as rechecks:
        again = rechecks.begun(1000 + DAY)
        assert again == first._replace(is_resumed=True)
        assert (list(rechecks.not_in(again)), len(rechecks.not_in(again))) == (["b"], 1)
        rechecks.end(again)
        assert len(rechecks.not_in(rechecks.begun(1000 + DAY))) == 2


@each_row("later", [-1, 30 * DAY])
def test_a_round_that_was_not_ended_is_begun_anew(tmp_path, later):
    with RecheckSchedule(tmp_path) as rechecks:
        first = rechecks.begun(1000)
        assert not rechecks.begun(1000 + later).is_resumed
        assert rechecks.begun(1000 + later).number == first.number + 1


def test_answers_that_fit_nothing_are_as_good_as_forgotten(tmp_path):
    """A disk that lost power may keep one half of what was written, and another program may write what this cannot."""
    planned = PlannedFile(Component(("http://e.org/a",)), "a", HeldFile(path="a", sha512="1"), is_same=False)
    with RecheckSchedule(tmp_path) as rechecks:
        rechecks.note("x", 1, {"a": Check("1", 10, 1)}, NextCheck(100, 110))
    with sqlite3.connect(tmp_path / NAME) as database:
        for path, fate in (("lost", "kept"), ("a", "unheard of")):
            row = ("x", path, "http://e.org/a", "e", "", fate, "", "")
            database.execute("INSERT INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    database.close()
    with RecheckSchedule(tmp_path) as rechecks:
        assert rechecks.of("x", [planned]) == {"a": Check("1", 10, 1)}


@pytest.mark.slow
class TestCommand:
    """`harvester mirror recheck --every`."""

    def test_a_shorter_period_holds_at_once(self, provider, mirror, recheck, fill):
        fill(10, says=())
        mirror.run()
        recheck("--all", "--every", "30d")
        recheck(later=2 * DAY)
        assert provider.asked == []
        recheck("--every", "1d", later=2 * DAY)
        assert len(provider.asked) == 20

    def test_a_clock_that_was_ahead_leaves_nothing_unasked(self, provider, mirror, recheck, fill):
        fill(10, says=())
        mirror.run()
        recheck("--all", "--every", "30d", later=1000 * DAY)
        recheck()
        assert len(provider.asked) == 20
        recheck()
        assert provider.asked == []

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

    def test_a_period_that_is_none_is_refused_and_not_kept(self, mirror, recheck, fill):
        fill(1, says=())
        mirror.run()
        for wrong in ("0d", "1", "x", "1.5d", "-1d", "1y"):
            recheck(f"--every={wrong}", status=2)
            assert "A duration such as 6h, or never, is wanted." in mirror.stderr
            assert json.loads((mirror.folder / "mirror.json").read_bytes())["recheck_every"] == ""

    def test_objects_of_which_nothing_is_due_are_not_read(self, provider, mirror, recheck, fill, monkeypatch):
        fill(4, says=())
        mirror.run()
        provider.items["oai:p:0"].deleted = True
        provider.items["oai:p:1"].title = "Another"
        for number in range(2):
            provider.items[f"oai:p:{number}"].datestamp = "2030-01-01T00:00:00Z"
        mirror.run()
        recheck("--all", "--every", "30d")
        read = []
        known = MirrorFolder.known
        monkeypatch.setattr(MirrorFolder, "known", lambda place, name: (read.append(name), known(place, name))[1])
        recheck()
        assert read == []

    def test_each_round_may_be_whole(self, provider, mirror, recheck, fill):
        fill(1, says=())
        mirror.run()
        provider.sent.clear()
        recheck(recheck_whole_every=1)
        assert len(provider.sent) == 2

    def test_it_is_told_when_something_is_due_next(self, mirror, recheck, fill):
        fill(2, says=())
        mirror.run()
        recheck()
        assert "due every" not in mirror.stderr
        recheck("--all", "--every", "30d")
        match = re.search(r"Each file is due every 30d; the next one at (\S+)\.", mirror.stderr)
        assert 29 * DAY < parse_utc_datetime(match[1])[0] - time.time() <= 30 * DAY
