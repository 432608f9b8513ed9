"""What is kept as OCFL is valid by somebody else's judgement, whatever interrupted its making."""

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError, StoreDamaged, StoreUnwritable
from harvester.mirror.inventory import Arrived, Inventory, read, with_version
from harvester.mirror.ocfl import Incoming, StorageRoot, digests_of, put
from harvester.runtime.durable_files import replace_durably
from tests.conftest import JUDGES, ROOT
from tests.rows import each_row

NAME = "oai:example.org:1"
NOW = "2026-01-01T00:00:00Z"


@pytest.fixture
def root(tmp_path):
    root = StorageRoot(tmp_path / "ocfl", tmp_path / "aside")
    root.prepare()
    return root


def incoming(root, name, content, identifier=NAME):
    file = root.workspace(identifier) / "files" / name
    file.write_bytes(content)
    return Incoming(file, digests_of(file))


def keep(root, files, identifier=NAME):
    """Commit a version with files by path: bytes are new, a text is a SHA-512."""
    before = root.inventory(identifier)
    given = enumerate(files.items())
    state = {
        path: incoming(root, str(number), value, identifier) if isinstance(value, bytes) else value
        for number, (path, value) in given
    }
    return root.commit(before, state, NOW, f"version {before.head + 1}")


def content(root, path, identifier=NAME):
    return (root.place(identifier) / root.inventory(identifier).place(path)).read_bytes()


def judged(folder: Path) -> str:
    """Return what ocfl-py, which is not ours, has to say against a storage root; empty when it is valid."""
    line = [JUDGES / "python", JUDGES / "ocfl-root.py", "validate", "--validate-objects", "--check-digests"]
    line += ["--root", str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)  # type: ignore[arg-type]
    output = done.stdout + done.stderr
    assert "Storage root" in output, output
    is_valid = done.returncode == 0 and "INVALID" not in output and "[W" not in output
    return "" if is_valid else output


def test_versions_keep_what_was_and_the_same_bytes_once(root):
    keep(root, {"document.xml": b"<a/>", "files/one.pdf": b"one", "files/copy.pdf": b"one"})
    first = root.inventory(NAME)
    last = keep(root, {"document.xml": b"<b/>", "files/one.pdf": first.state["files/one.pdf"]})
    assert last == root.inventory(NAME)
    assert [sorted(version.state) for version in last.versions] == [
        ["document.xml", "files/copy.pdf", "files/one.pdf"],
        ["document.xml", "files/one.pdf"],
    ]
    assert content(root, "files/one.pdf") == b"one"
    assert sorted(last.manifest.values()) == [
        "v1/content/document.xml",
        "v1/content/files/copy.pdf",
        "v2/content/document.xml",
    ]
    assert list(root.aside.iterdir()) == []
    assert list(root.objects()) == [root.place(NAME)]


@each_row(
    "identifier, place",
    [
        # The examples of the layout's own description (0003-hash-and-id-n-tuple-storage-layout).
        ("object-01", "3c0/ff4/240/object-01"),
        ("..hor/rib:le-$id", "487/326/d8c/%2e%2ehor%2frib%3ale-%24id"),
        ("..Hor/rib:lè-$id", "373/529/21a/%2e%2eHor%2frib%3al%c3%a8-%24id"),
    ],
)
def test_an_object_lies_where_the_layout_says(root, identifier, place):
    assert root.place(identifier).relative_to(root.folder) == Path(place)


def test_a_long_identifier_is_cut_and_told_apart_by_its_digest(root):
    name = root.place("oai:x:" + "y" * 200).name
    assert name.startswith("oai%3ax%3ayyy")
    assert len(name) == 100 + 1 + 64


@each_row("path", ["../x", "/x", "x//y", "x/./y", "", "x/"])
def test_a_path_out_of_the_object_is_refused(path):
    with pytest.raises(ValueError, match="is no path"):
        with_version(Inventory(NAME), {path: Arrived("a", "b")}, NOW, "")


@each_row("text", [b"", b"[]", b"{}", b'{"versions": {"v2": {}}}'])
def test_an_inventory_that_cannot_be_read_is_reported(text):
    with pytest.raises(StoreDamaged, match="cannot be read"):
        read(text)


def test_a_folder_with_something_else_in_it_is_not_taken(tmp_path):
    (tmp_path / "ocfl").mkdir()
    (tmp_path / "ocfl" / "letters.txt").touch()
    with pytest.raises(ConfigurationError, match="is not empty"):
        StorageRoot(tmp_path / "ocfl", tmp_path / "aside").prepare()


def test_what_the_disk_refuses_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        StorageRoot(tmp_path / "file" / "ocfl", tmp_path / "aside").prepare()
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        replace_durably(tmp_path / "nowhere" / "x", b"")


# A process is killed at the n-th call of the system that changes files in a folder.
KILLED = """
import os, sys
folder, left = sys.argv[1], int(sys.argv[2])
def audit(event, arguments):
    global left
    changes = event in ("os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir") or (
        event == "open" and isinstance(arguments[1], str) and set("wa+") & set(arguments[1]))
    if not changes or not any(folder in str(each) for each in arguments):
        return
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
"""
_COMMITS = f"""{KILLED}
import importlib.util
from pathlib import Path
place = importlib.util.spec_from_file_location("ours", sys.argv[3])
ours = importlib.util.module_from_spec(place)
place.loader.exec_module(ours)
root = ours.StorageRoot(Path(folder) / "ocfl", Path(folder) / "aside")
sys.addaudithook(audit)
root.prepare()
old = root.inventory(ours.NAME).state.get("files/old", b"old")
ours.keep(root, {{"a": b"2", "files/new": b"new", "files/old": old}})
"""


@pytest.mark.share(one_in=3)
@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.parametrize("begun", [2, 1, 0], ids=["a further version", "a new object", "a new root"])
def test_killed_anywhere_an_object_has_its_new_version_or_had_none(tmp_path, begun):
    """Every change of the file system in turn is the last; then the root is valid, and the work can be repeated."""
    ended, outcomes = False, set()
    for count in range(200):
        folder = tmp_path / str(count)
        root = StorageRoot(folder / "ocfl", folder / "aside")
        if begun:
            root.prepare()
        if begun == 2:
            keep(root, {"a": b"1", "files/old": b"old"})
        line = [sys.executable, "-c", _COMMITS, str(folder), str(count), __file__]
        done = subprocess.run(line, check=False, capture_output=True, cwd=ROOT)
        ended = done.returncode == 0
        assert ended or done.returncode == -signal.SIGKILL, done.stderr
        root.prepare()
        outcomes.add(root.inventory(NAME).head)
        assert judged_quickly(root) == []
        keep(root, {"a": b"3"})
        assert content(root, "a") == b"3"
        if ended:
            break
    assert ended
    assert outcomes == ({1, 2} if begun == 2 else {0, 1})


def judged_quickly(root: StorageRoot) -> list[str]:
    """Check by our own eyes what a kill could leave wrong: starting the independent judge takes a second each time."""
    wrong = [str(path) for path in root.folder.rglob("*") if path.is_dir() and not any(path.iterdir())]
    for folder in root.objects():
        inventory = read((folder / "inventory.json").read_bytes())
        versions = {path.name for path in folder.iterdir() if path.is_dir()}
        wrong += [] if versions == {f"v{number + 1}" for number in range(inventory.head)} else [str(versions)]
        wrong += [place for digest, place in inventory.manifest.items() if digests_of(folder / place).sha512 != digest]
        last = folder / f"v{inventory.head}"
        names = ("inventory.json", "inventory.json.sha512")
        wrong += [name for name in names if (folder / name).read_bytes() != (last / name).read_bytes()]
    return wrong


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_an_independent_validator_finds_nothing_wrong(root):
    for number in range(3):
        name = f"oai:example.org:{number}/ä?" + "x" * 40 * number
        for version in range(3):
            keep(root, {"document.xml": b"<a>%d</a>" % version, f"files/{version}.pdf": b"%PDF", "files/ü": b"2"}, name)
    assert judged(root.folder) == ""


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_an_independent_validator_finds_what_is_wrong(root):
    keep(root, {"a": b"1"})
    (root.place(NAME) / "v1" / "content" / "a").write_bytes(b"2")
    assert "v1/content/a" in judged(root.folder)


def test_a_file_system_without_links_keeps_copies(tmp_path):
    def refused(_file, _place):
        raise OSError(errno.EPERM, "Operation not permitted")

    (tmp_path / "waits").write_bytes(b"bytes")
    put(tmp_path / "waits", tmp_path / "kept", refused)
    assert (tmp_path / "kept").read_bytes() == (tmp_path / "waits").read_bytes() == b"bytes"


def test_what_a_killed_commit_left_aside_is_not_written_through_into_its_version(root):
    """Killed after the version was moved in: what waited aside is the same file as the one in the version."""
    keep(root, {"received.json": b"first"})
    held = root.place(NAME) / root.inventory(NAME).place("received.json")
    waiting = root.workspace(NAME) / "files" / "0"
    waiting.hardlink_to(held)
    root.prepare()
    keep(root, {"received.json": b"second"})
    assert held.read_bytes() == b"first"
