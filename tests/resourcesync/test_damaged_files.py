"""Kept files that a disk has damaged: they are no fault of the server, and prevent no takedown."""

import json

import pytest

from gateway.resourcesync.kept import KeptDocuments
from tests.resourcesync.conftest import DAY
from tests.resourcesync.test_kept_dumps import FOLDER, TAKEDOWNS, get, leaks, on_disk, secretive

__all__ = ["secretive"]

WRONG = (None, True, -1, 10**30, 0.5, "", "../x", "a\ud800", "a\nb", [], {}, ["x"], [[0, 1]])


def flipped(content: bytes, place: int) -> bytes:
    """Return bytes of which one is another."""
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


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
    secretive.harness.now += DAY
    made = secretive.tend(snapshot_days=1)
    assert made["changes"] >= 1
    assert made["resources"] == len(packages) - 1
    assert [get(secretive, loc).data for loc in packages[1:]] == before[1:]
    assert get(secretive, packages[0]).status_code == 200
    assert all(secretive.kept().is_intact(file.name) for file in secretive.kept().folder.glob("*-*"))


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
    secretive.harness.now += DAY
    secretive.publish("20")
    secretive.harness.now += DAY
    secretive.publish("21")
    secretive.harness.now += 5
    secretive.tend(snapshot_days=1)
    assert not on_disk(secretive)
    assert leaks(secretive) == []
    closed = [entry for entry in secretive.document("changelist") if entry.until]
    assert len(secretive.locations("changedump")) == len(closed)


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
                assert secretive.kept().read() == KeptDocuments(), (name, place, value)
    for name in tables:
        for value in (*WRONG, [[]], [0], [["x"]]):
            file.write_text(json.dumps(tables | {name: value}))
            assert secretive.kept().read() == KeptDocuments() or not value, (name, value)
    assert documents(secretive) == {200, 404}
    assert secretive.tend(snapshot_days=1)["changes"] >= 1
    assert documents(secretive) == {200}
