"""Delivered archives and bags are unpacked within limits, and what is refused leaves nothing behind."""

import io
import json
import subprocess
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError
from harvester.mirror import unpack_package as unpacking
from harvester.mirror.component import Component
from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.package import Package
from harvester.mirror.unpack_package import UnpackLimits, checked_bag, is_bag, unpacked
from tests.conftest import JUDGES
from tests.mirror.bags import BAD, GOOD, STRICTER, bagged
from tests.rows import each_row


def _tar(file, names, links=(), mode="w"):
    with tarfile.open(file, mode) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
        for name, target in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.LNKTYPE, target
            archive.addfile(info)
    return file


def _pack_zip(file, entries):
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # the library warns of what is tested here
        for name, content in entries:
            archive.writestr(name, content)
    return file


def _pack_tar(file, entries):
    with tarfile.open(file, "w:gz") as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file


def _unpack(file, tmp_path, most=1000, **limits):
    with unpacked(file, tmp_path / "aside", UnpackLimits(most, **limits), "oai_dc") as package:
        return {path.name: path.read_bytes() for path in package.payload.rglob("*") if path.is_file()}


def test_a_link_to_a_file_that_is_left_out_is_named_too(tmp_path):
    name = "n" * 300
    with unpacked(
        _tar(tmp_path / "tar", (name, "a"), [("b", name)]), tmp_path / "aside", UnpackLimits(9), "oai_dc"
    ) as package:
        assert [path.name for path in package.payload.iterdir()] == ["a"]
        assert package.left_out[1:] == (
            "b of the package is left out: it is a link to a file that is not unpacked either.",
        )


@each_row("mode", ["w", "w:gz"])
def test_hard_links_are_files_like_those_they_lead_to(tmp_path, mode):
    file = _tar(tmp_path / "linked", ["d/a.txt"], [("b.txt", "d/a.txt"), ("d/c.txt", "./b.txt")], mode)
    assert _unpack(file, tmp_path) == {"a.txt": b"abc", "b.txt": b"abc", "c.txt": b"abc"}
    with pytest.raises(ConfigurationError, match="has more than 8 bytes, unpacked"):
        _unpack(file, tmp_path, most=8)


@each_row("target", ["later.txt", "../../secret.txt", "/etc/passwd", "folder", ""])
def test_a_hard_link_to_what_is_not_before_it_is_refused(tmp_path, target):
    (tmp_path / "secret.txt").write_bytes(b"secret")
    with pytest.raises(ConfigurationError, match=r"cannot be unpacked: .*which is not before it"):
        _unpack(_tar(tmp_path / "linked", ["folder/a.txt"], [("b.txt", target)]), tmp_path)


@each_row(
    "location, expected",
    [
        ("http://repo.example.org/a/1.pdf", "x/a/1.pdf"),
        ("http://repo.example.org/b/1.pdf", "x/b/1.pdf"),
        ("http://repo.example.org/c/1.pdf", None),  # both end so
        ("http://repo.example.org/2.pdf", "x/2.pdf"),
        ("http://repo.example.org/3.pdf", None),
        ("http://repo.example.org/", None),
        ("x/2.pdf", "x/2.pdf"),
    ],
)
def test_a_file_is_found_by_the_longest_end_of_its_address_that_one_file_has(tmp_path, location, expected):
    for name in ("x/a/1.pdf", "x/b/1.pdf", "x/2.pdf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    package = Package(tmp_path, "oai_didl")
    assert package.find(_want(location), tmp_path / "records.xml") == (tmp_path / expected if expected else None)


def _want(location):
    return PlannedFile(Component((location,), size=1), "files/document.pdf", None, False)


@each_row("pack", [_pack_zip, _pack_tar])
@each_row("other", ["d/a.txt", "./d/a.txt", "d/A.txt", "D/a.txt", "d//a.txt"])
def test_two_different_files_of_one_name_are_refused_and_equal_ones_are_one(tmp_path, pack, other):
    """The first was lost without a word."""
    with pytest.raises(ConfigurationError, match="two different files of one name"):
        _unpack(pack(tmp_path / "two", [("d/a.txt", b"one"), ("b.txt", b"b"), (other, b"two")]), tmp_path)
    assert list((tmp_path / "aside").rglob("*")) == []
    by_name = _unpack(pack(tmp_path / "same", [("d/a.txt", b"one"), ("b.txt", b"b"), (other, b"one")]), tmp_path)
    assert by_name == {"a.txt": b"one", "b.txt": b"b", other.rpartition("/")[2]: b"one"}


@each_row("pack", [_pack_zip, _pack_tar])
def test_names_that_differ_only_by_unicode_normalisation_are_one_name(tmp_path, pack):
    names = ("caf\u00e9.txt", "cafe\u0301.txt")
    assert set(_unpack(pack(tmp_path / "same", [(name, b"x") for name in names]), tmp_path)) == set(names)
    with pytest.raises(ConfigurationError, match="two different files of one name"):
        _unpack(pack(tmp_path / "two", [(name, name.encode()) for name in names]), tmp_path)


@each_row("pack", [_pack_zip, _pack_tar])
def test_an_archive_that_grows_beyond_its_ratio_is_refused_and_leaves_nothing(monkeypatch, tmp_path, pack):
    monkeypatch.setattr(unpacking, "_HARMLESS", 1000)
    file = pack(tmp_path / "bomb", [("a.txt", bytes(300_000))])
    with pytest.raises(ConfigurationError, match="more than 20 bytes for each of its own, unpacked"):
        _unpack(file, tmp_path, most=10**9, max_ratio=20)
    assert list((tmp_path / "aside").rglob("*")) == []
    assert _unpack(file, tmp_path, most=10**9, max_ratio=0) == {"a.txt": bytes(300_000)}
    monkeypatch.setattr(unpacking, "_HARMLESS", 1_000_000)
    assert _unpack(file, tmp_path, most=10**9, max_ratio=20) == {"a.txt": bytes(300_000)}


_JUDGE = """
import bagit, json, logging, sys
logging.disable()
def told(folder):
    try:
        bagit.Bag(folder).validate()
    except (bagit.BagError, OSError) as error:
        return f"{error!r}"
    return ""
print(json.dumps({name: told(folder) for name, folder in json.loads(sys.argv[1]).items()}))
"""


def _made(folder: Path) -> Path:
    (folder / "letters").mkdir(parents=True)
    (folder / "records.xml").write_text("<a/>")
    (folder / "letters" / "one.txt").write_text("one")
    return bagged(folder)


@each_row("name", GOOD)
def test_a_good_bag_is_good(tmp_path, name):
    folder = _made(tmp_path / "bag")
    GOOD[name](folder)
    assert is_bag(folder)
    assert checked_bag(folder).payload == folder / "data"


@each_row("name", BAD)
def test_a_bag_that_is_not_good_is_refused(tmp_path, name):
    folder = _made(tmp_path / "bag")
    assert checked_bag(folder).info["note"] == "long line"
    BAD[name](folder)
    with pytest.raises(ConfigurationError, match="is not a valid bag"):
        checked_bag(folder)


def test_a_manifest_with_a_path_that_no_system_can_have_is_refused(tmp_path):
    folder = _made(tmp_path / "bag")
    (folder / "data" / "loop").symlink_to("loop")
    for path in (b"data/a\0b", b"data/loop/x"):
        (folder / "manifest-sha256.txt").write_bytes(b"00 " + path + b"\n")
        with pytest.raises(ConfigurationError, match="is not a valid bag"):
            checked_bag(folder)


def test_a_folder_with_data_in_it_is_no_bag(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "manifest-of-our-ship.txt").touch()
    assert not is_bag(tmp_path)


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_the_library_of_the_library_of_congress_judges_bags_as_we_do(tmp_path):
    folders = {}
    for number, (name, change) in enumerate((GOOD | BAD).items()):
        folders[name] = _made(tmp_path / str(number))
        change(folders[name])
    line = [JUDGES / "python", "-c", _JUDGE, json.dumps({name: str(folder) for name, folder in folders.items()})]
    done = subprocess.run(line, capture_output=True, text=True, check=True)  # type: ignore[arg-type]
    verdicts = json.loads(done.stdout)
    assert {name: why for name, why in verdicts.items() if why and name in GOOD} == {}
    assert {name for name in BAD if not verdicts[name]} == STRICTER
