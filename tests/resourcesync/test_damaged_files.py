"""Kept files that a disk has damaged: they are no fault of the server, and prevent no takedown."""

from __future__ import annotations

import pytest

from tests.resourcesync.conftest import DAY
from tests.resourcesync.test_kept_dumps import TAKEDOWNS, get, leaks, on_disk, secretive

__all__ = ["secretive"]


def flipped(content: bytes, place: int) -> bytes:
    """Return bytes of which one is another."""
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


@pytest.mark.parametrize("place", [20, 60, 90])
def test_a_damaged_list_is_not_found(secretive, place):
    (index,) = secretive.document("resourcelist-archive")
    part = next(iter(secretive.read(index.loc))).loc
    file = next(secretive.kept().folder.glob("list-1.*"))
    file.write_bytes(flipped(file.read_bytes(), place))
    assert get(secretive, part).status_code in (200, 404)


@pytest.mark.parametrize("kind", ["list-1", "changes"])
@pytest.mark.parametrize("is_cut", [False, True])
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
        for place in range(0, len(content), 9):
            file.write_bytes(flipped(content, place))
            assert get(secretive, contents.href).status_code in (200, 404), place
        file.write_bytes(content)
