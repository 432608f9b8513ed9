"""Kept files that a disk has damaged: they are no fault of the server, and prevent no takedown."""

from __future__ import annotations

import json

import pytest

from gateway.resourcesync.kept import Shelf
from tests.resourcesync.conftest import DAY
from tests.resourcesync.test_kept_dumps import FOLDER, TAKEDOWNS, get, leaks, on_disk, secretive
from tests.rows import each_row

__all__ = ["secretive"]

WRONG = (None, True, -1, 10**30, 0.5, "", "../x", "a\ud800", "a\nb", [], {}, ["x"], [[0, 1]])


def flipped(content: bytes, place: int) -> bytes:
    """Return bytes of which one is another."""
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


def test_a_damaged_list_is_not_found(secretive):
    (index,) = secretive.document("resourcelist-archive")
    part = next(iter(secretive.read(index.loc))).loc
    file = next(secretive.kept().folder.glob("list-1.*"))
    content = file.read_bytes()
    for place in (20, 60, 90):
        file.write_bytes(flipped(content, place))
        assert get(secretive, part).status_code in (200, 404)


def test_no_damaged_byte_is_served_and_a_day_later_tend_has_made_everything_again(secretive):
    packages = [entry.loc for name in ("changedump", "resourcedump") for entry in secretive.document(name)]
    before = [get(secretive, loc).data for loc in packages]
    (archived,) = secretive.locations("resourcelist-archive")
    for file in secretive.kept().folder.glob("*-*"):
        content = file.read_bytes()
        file.write_bytes(flipped(content, len(content) // 2))
    assert get(secretive, packages[0]).status_code == 404
    assert secretive.get(f"{FOLDER}/changedump.xml").status_code == 404
    assert get(secretive, archived).status_code == 404
    assert [get(secretive, loc).data for loc in packages[1:]] == before[1:]
    secretive.desk.now += DAY
    made = secretive.tend(snapshot_days=1)
    assert made["changes"] >= 1
    assert made["resources"] == len(packages) - 1
    assert [get(secretive, loc).data for loc in packages[1:]] == before[1:]
    assert get(secretive, packages[0]).status_code == 200
    assert all(secretive.kept().is_intact(file.name) for file in secretive.kept().folder.glob("*-*"))


def test_a_damaged_file_is_noticed_although_it_was_intact_before(secretive):
    (package,) = secretive.locations("changedump")
    for status in (200, 404, 200):
        assert get(secretive, package).status_code == status
        (file,) = secretive.kept().folder.glob("changes-*")
        file.write_bytes(flipped(file.read_bytes(), 99))


@pytest.mark.parametrize(
    ("kind", "is_cut"),
    [
        ("changes", False),
        pytest.param("changes", True, marks=pytest.mark.slow),
        pytest.param("list-1", True, marks=pytest.mark.slow),
    ],
)
def test_a_damaged_file_prevents_no_takedown_and_no_later_package(secretive, house, kind, is_cut):
    for file in secretive.kept().folder.glob(f"{kind}*"):
        content = file.read_bytes()
        place = content.rfind(b"manifest.xml", 0, -200) + 20 if kind == "changes" else 20
        file.write_bytes(content[: len(content) // 2] if is_cut else flipped(content, place))
    house.take_down(*TAKEDOWNS)
    secretive.desk.now += DAY
    secretive.publish("20")
    secretive.desk.now += DAY
    secretive.publish("21")
    secretive.desk.now += 5
    secretive.tend(snapshot_days=1)
    assert not on_disk(secretive)
    assert leaks(secretive) == []
    closed = [entry for entry in secretive.document("changelist") if entry.until]
    assert len(secretive.locations("changedump")) == len(closed)


def test_the_manifest_of_a_damaged_package_is_no_fault(secretive):
    for entry in secretive.document("changedump"):
        (contents,) = entry.related("contents")
        name = f"changes-{entry.loc.rpartition('/')[2].removeprefix('changedump-').removesuffix('.zip')}"
        (file,) = secretive.kept().folder.glob(f"{name}.????????????????.zip")
        content = file.read_bytes()
        for place in range(0, len(content), 31):
            file.write_bytes(flipped(content, place))
            assert get(secretive, contents.href).status_code in (200, 404), place
        file.write_bytes(content)


def documents(source) -> set[int]:
    """Return the statuses of all documents of the set that depend on kept files."""
    names = ("capabilitylist", "changelist", "resourcelist", "resourcedump", "changedump")
    archives = ("changelist-archive", "changedump-archive", "resourcelist-archive")
    return {source.get(f"{FOLDER}/{name}.xml").status_code for name in (*names, *archives)}


def test_an_index_with_a_value_of_a_wrong_type_is_damaged(secretive):
    file = secretive.kept().folder / "kept.json"
    content = file.read_bytes()
    tables = json.loads(content)
    for name in ("packages", "parts", "lists"):
        for place in range(len(tables[name][0])):
            for value in WRONG:
                data = json.loads(content)
                data[name][0][place] = value
                file.write_text(json.dumps(data))
                assert secretive.kept().read() == Shelf(), (name, place, value)
    for name in tables:
        for value in (*WRONG, [[]], [0], [["x"]]):
            file.write_text(json.dumps(tables | {name: value}))
            assert secretive.kept().read() == Shelf() or not value, (name, value)
    assert documents(secretive) == {200, 404}
    assert secretive.tend(snapshot_days=1)["changes"] >= 1
    assert documents(secretive) == {200}


@each_row("content", [b"[" * 200_000, b'{"key":' * 200_000, b"9" * 9_000])
def test_an_index_that_is_nested_too_deeply_or_too_long_is_damaged(secretive, content):
    (secretive.kept().folder / "kept.json").write_bytes(content)
    assert secretive.kept().read() == Shelf()
    assert secretive.tend()["changes"] >= 1
